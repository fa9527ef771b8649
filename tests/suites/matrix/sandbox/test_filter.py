"""The filter of kernel calls, run on paper for both machines; removal of folders."""

from __future__ import annotations

import errno
import os
import re
import struct
import sys
from pathlib import Path

import pytest

from sightline.suites.matrix.sandbox.inside import scratch
from sightline.suites.matrix.sandbox.inside.syscalls import ALLOWED, GUARDED, MACHINES, REFUSED, syscall_numbers

if sys.platform != "linux":
    pytest.skip("the filter is Linux's own", allow_module_level=True)

from sightline.suites.matrix.sandbox.inside import confinement

PROCESS = 4321
ALLOW, KILL, EPERM, ENOSYS = (
    confinement.ALLOW,
    confinement.KILL,
    confinement.FAIL | errno.EPERM,
    confinement.FAIL | errno.ENOSYS,
)


def answer(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the kernel would do: a small interpreter of its filter language."""
    code = list(struct.iter_unpack("=HBBI", confinement.build_filter(machine, PROCESS)))
    assert len(code) <= 4096
    words = [each & 0xFFFFFFFFFFFFFFFF for each in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("=IIQ6Q", number, MACHINES[machine][1] if arch is None else arch, 0, *words)
    at = value = 0
    while True:
        kind, yes, no, constant = code[at]
        at += 1
        if kind == confinement.LOAD:
            (value,) = struct.unpack_from("=I", data, constant)
        elif kind == confinement.EQUAL:
            at += yes if value == constant else no
        elif kind == confinement.TEST_BITS:
            at += yes if value & constant else no
        else:
            assert kind == confinement.RETURN
            return int(constant)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_lists_do_as_they_say(machine: str) -> None:
    tables = [syscall_numbers(table, machine) for table in (ALLOWED, GUARDED, REFUSED)]
    numbers = [number for table in tables for number in table.values()]
    assert len(numbers) == len(set(numbers)) > 200
    for name, number in tables[0].items():
        assert answer(machine, number, 1, 2, 3) == ALLOW, name
    for name, number in tables[2].items():
        assert answer(machine, number, 1, 2, 3) == EPERM, name
    for number in {*range(600)} - {*numbers}:
        assert answer(machine, number) == ENOSYS
        assert answer(machine, number, PROCESS) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_some_calls_depend_on_their_arguments(machine: str) -> None:
    of = syscall_numbers(GUARDED, machine)
    thread = 0x3D0F00
    assert answer(machine, of["clone"], thread) == ALLOW
    for flags in (17, 0x4111, 0x1200011, *(thread | 1 << bit for bit in (17, 25, 26, 27, 28, 29, 30))):
        assert answer(machine, of["clone"], flags) == EPERM, hex(flags)
    for name in ("kill", "tgkill"):
        assert answer(machine, of[name], PROCESS, 9) == ALLOW
        for process in (0, 1, -1, -PROCESS, PROCESS + 1):
            assert answer(machine, of[name], process, 9) == EPERM
    assert answer(machine, of["prlimit64"], 0) == ALLOW
    assert answer(machine, of["prlimit64"], 1) == EPERM
    assert answer(machine, of["fcntl"], 3, 1030) == ALLOW
    for command in (8, 10, 15, 1024, 1026, 1031):
        assert answer(machine, of["fcntl"], 3, command) == EPERM
    assert answer(machine, of["ioctl"], 0, 0x5401) == ALLOW
    assert answer(machine, of["ioctl"], 0, 0x5412) == EPERM  # writing into a terminal
    assert answer(machine, of["prctl"], 4) == EPERM


def test_another_machine_s_calls_end_the_program() -> None:
    assert answer("x86_64", 39, arch=0x40000003) == KILL
    assert answer("x86_64", 39, arch=MACHINES["aarch64"][1]) == KILL
    assert answer("x86_64", 0x40000000 | 39) == ENOSYS


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("x86_64", "/usr/include/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_the_kernel_s(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no {header} here")
    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", Path(header).read_text()))
    wide = {"newfstatat": "fstatat", "fadvise64": "fadvise64"}
    table = {
        **syscall_numbers(ALLOWED, machine),
        **syscall_numbers(GUARDED, machine),
        **syscall_numbers(REFUSED, machine),
    }
    for name, number in table.items():
        assert int(found.get(name) or found[wide[name]]) == number, name


def test_a_folder_of_any_shape_is_removed_and_no_link_followed(tmp_path: Path) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.mkdir()
    (kept / "file").write_text("x")
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    (folder / "file").write_text("x")
    here = Path.cwd()
    try:
        os.chdir(folder)
        for _ in range(600):  # a path longer than the kernel takes
            Path("a folder").mkdir()
            os.chdir("a folder")
        Path("hidden").mkdir(0o100)
        Path("link").symlink_to(kept)
    finally:
        os.chdir(here)
    scratch.remove(str(folder))
    assert not folder.exists() and (kept / "file").read_text() == "x"


def test_a_full_folder_is_noticed(tmp_path: Path) -> None:
    assert not scratch.is_too_full(str(tmp_path), 1 << 20)
    (tmp_path / "file").write_bytes(os.urandom(1 << 16))
    assert not scratch.is_too_full(str(tmp_path), 1 << 20)
    assert scratch.is_too_full(str(tmp_path), 1 << 15)
    for k in range(scratch.MAX_ENTRIES):
        (tmp_path / str(k)).touch()
    assert scratch.is_too_full(str(tmp_path), 1 << 20)
