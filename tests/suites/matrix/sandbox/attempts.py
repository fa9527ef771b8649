"""Attempts to break out: each program defines `attack(facts)`, which is True where it got through.

`bare` says where the same program succeeds without a wall, which proves that the attempt is a real one: everywhere
("always"), where the tests run with the rights of root ("root"), or not tried since it would do harm ("never").
"""

from __future__ import annotations

from typing import Literal, NamedTuple

HEAD = """
import ctypes, os, signal, socket, subprocess, sys, threading, time

def call(number, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    answer = library.syscall(ctypes.c_long(number), *words)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer

def reaches(number, *arguments):
    # a call that gets as far as the kernel complains of its arguments, one that is shut out is not permitted
    try:
        call(number, *arguments)
    except OSError as problem:
        return problem.errno not in (1, 38)
    return True
"""


class Attempt(NamedTuple):
    """One program, the states it may end in, and where it succeeds without a wall."""

    name: str
    body: str
    states: tuple[str, ...] = ("error",)
    bare: Literal["always", "root", "never"] = "always"

    @property
    def code(self) -> str:
        lines = "\n".join(f"    {line}" for line in self.body.strip("\n").splitlines())
        return f"{HEAD}\ndef attack(facts):\n{lines}\n"


ENDED = ("error", "ok")

NETWORK = [
    Attempt("tcp", "socket.create_connection(('127.0.0.1', facts['tcp']), 2)\nreturn True"),
    Attempt(
        "udp",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', facts['udp']))\nreturn True",
    ),
    Attempt("unix socket", "socket.socket(socket.AF_UNIX).connect(facts['unix'])\nreturn True"),
    Attempt("abstract socket", "socket.socket(socket.AF_UNIX).connect('\\0' + facts['abstract'])\nreturn True"),
    Attempt("socket pair", "socket.socketpair()\nreturn True"),
    Attempt("listening", "socket.create_server(('127.0.0.1', 0))\nreturn True"),
    Attempt("netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\nreturn True"),
    Attempt("names", "return bool(socket.getaddrinfo('localhost', facts['tcp']))"),
    Attempt("raw socket call", "return call(facts['numbers']['socket'], 2, 1, 0) >= 0"),
]

READING = [
    Attempt("shadow", "return len(open('/etc/shadow').read()) > 0", bare="root"),
    Attempt("passwd", "return len(open('/etc/passwd').read()) > 0"),
    Attempt("home", "return open(facts['home']).read() == facts['word'][::-1]"),
    Attempt("listing home", "return os.listdir(os.path.dirname(facts['home'])) != []"),
    Attempt("environment", "return 'SIGHTLINE_TEST_SECRET' in os.environ", ENDED, "never"),
    Attempt("environment of 1", "return len(open('/proc/1/environ', 'rb').read()) > 0", ENDED, "never"),
    Attempt("environment of us", "return len(open(f\"/proc/{facts['us']}/environ\", 'rb').read()) > 0", bare="root"),
    Attempt(
        "environment of the parent", "return b'S' in open(f'/proc/{os.getppid()}/environ', 'rb').read()", ENDED, "never"
    ),
    Attempt("command line of us", "return len(open(f\"/proc/{facts['us']}/cmdline\", 'rb').read()) > 0"),
    Attempt(
        "memory of us",
        """
with open(f"/proc/{facts['us']}/mem", "rb", buffering=0) as memory:
    memory.seek(facts["address"])
    return memory.read(len(facts["word"])) == facts["word"][::-1].encode()
""",
        bare="root",
    ),
    Attempt(
        "process_vm_readv",
        """
size = len(facts["word"])
mine = ctypes.create_string_buffer(size)
here = (ctypes.c_uint64 * 2)(ctypes.addressof(mine), size)
there = (ctypes.c_uint64 * 2)(facts["address"], size)
call(facts["numbers"]["process_vm_readv"], facts["us"], here, 1, there, 1, 0)
return mine.raw == facts["word"][::-1].encode()
""",
        bare="root",
    ),
    Attempt("symbolic link", "os.symlink(facts['secret'], 'l')\nreturn open('l').read() == facts['word'][::-1]"),
    Attempt("hard link", "os.link(facts['secret'], 'l')\nreturn open('l').read() == facts['word'][::-1]"),
    Attempt("dots", "return open(os.path.relpath(facts['secret'])).read() == facts['word'][::-1]"),
    Attempt(
        "link of a folder",
        "os.symlink(os.path.dirname(facts['secret']), 'd')\nreturn open('d/secret').read() == facts['word'][::-1]",
    ),
    Attempt(
        "path descriptor",
        """
place = os.open(facts["secret"], os.O_PATH)
return open(f"/proc/self/fd/{place}").read() == facts["word"][::-1]
""",
    ),
    Attempt("moving it here", "os.rename(facts['movable'], 'l')\nreturn True"),
    Attempt("watching files", "return call(facts['numbers']['inotify_init1'], 0) >= 0"),
    Attempt("by handle", "return reaches(facts['numbers']['open_by_handle_at'], -1, 0, 0)", ENDED, "root"),
]

WRITING = [
    Attempt("writing outside", "return open(os.path.join(facts['outside'], 'new'), 'w').write('x') == 1"),
    Attempt("overwriting", "return open(facts['movable'], 'w').write('x') == 1"),
    Attempt("truncating", "os.truncate(facts['movable'], 0)\nreturn True"),
    Attempt("changing rights", "os.chmod(facts['movable'], 0o777)\nreturn True"),
    Attempt("changing the owner", "os.chown(facts['movable'], os.getuid(), os.getgid())\nreturn True"),
    Attempt("changing times", "os.utime(facts['movable'], (1, 1))\nreturn True"),
    Attempt("removing", "os.remove(facts['movable'])\nreturn True"),
    Attempt("a folder outside", "os.mkdir(os.path.join(facts['outside'], 'folder'))\nreturn True"),
    Attempt("a link outside", "os.symlink('/', os.path.join(facts['outside'], 'link'))\nreturn True"),
    Attempt("through a link", "os.symlink(facts['movable'], 'l')\nreturn open('l', 'w').write('x') == 1"),
    Attempt("temporary folder", "return open(f\"/tmp/{facts['word']}\", 'w').write('x') == 1"),
    Attempt("shared memory", "return open(f\"/dev/shm/{facts['word']}\", 'w').write('x') == 1", bare="never"),
    Attempt("the libraries", "import numpy\nreturn open(numpy.__file__, 'r+b').writable()", bare="root"),
    Attempt("the interpreter", "return open(os.__file__, 'r+b').writable()", bare="root"),
    Attempt("System V memory", "return reaches(facts['numbers']['shmget'], 0, 4096, 0o1000)", ENDED, "never"),
    Attempt("memory file", "return call(facts['numbers']['memfd_create'], b'x', 0) >= 0"),
]

PROCESSES = [
    Attempt("fork", "child = os.fork()\nif not child:\n    os._exit(0)\nos.waitpid(child, 0)\nreturn True"),
    Attempt("fork bomb", "while True:\n    os.fork()", bare="never"),
    Attempt("subprocess", "return subprocess.run([sys.executable, '-c', 'pass']).returncode == 0"),
    Attempt("shell", "return os.system('true') == 0", ENDED),
    Attempt("spawn", "return os.posix_spawn('/bin/true', ['true'], {}) > 0"),
    Attempt("exec", "os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(0)'])", bare="never"),
    Attempt(
        "memory file and execveat",
        """
place = call(facts["numbers"]["memfd_create"], b"x", 0)
os.write(place, open("/bin/true", "rb").read())
call(facts["numbers"]["execveat"], place, b"", (ctypes.c_char_p * 1)(), (ctypes.c_char_p * 1)(), 0x1000)
""",
        bare="never",
    ),
    Attempt("execveat alone", "return reaches(facts['numbers']['execveat'], -1, b'x', 0, 0, 0)", ENDED),
    Attempt("raw clone", "return reaches(facts['numbers']['clone'], 0x10000000 | 17, 0, 0, 0, 0)", ENDED, "never"),
    Attempt("clone3", "return reaches(435, 0, 0)", ENDED),
    Attempt(
        "daemon",
        """
if os.fork():
    os._exit(0)
os.setsid()
time.sleep(60)
""",
        bare="never",
    ),
    Attempt("new session", "return os.getsid(0) == os.getpid() and os.setsid() > 0", bare="never"),
    Attempt("signal to us", "os.kill(facts['us'], signal.SIGCONT)\nreturn True"),
    Attempt("signal to the parent", "os.kill(os.getppid(), signal.SIGCONT)\nreturn True"),
    Attempt("signal to all", "os.kill(-1, 0)\nreturn True"),
    Attempt("signal to a group", "os.killpg(os.getpgid(facts['us']), 0)\nreturn True"),
    Attempt("signal to a thread of ours", "call(facts['numbers']['tgkill'], facts['us'], facts['us'], 0)\nreturn True"),
    Attempt("queued signal", "return reaches(facts['numbers']['rt_sigqueueinfo'], facts['us'], 0, 0)", ENDED),
    Attempt(
        "signal by a pipe's owner",
        "import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, facts['us'])\nreturn True",
    ),
    Attempt("process handle", "return call(facts['numbers']['pidfd_open'], facts['us'], 0) >= 0"),
    Attempt("limits of us", "import resource\nreturn len(resource.prlimit(facts['us'], resource.RLIMIT_NOFILE)) == 2"),
    Attempt("priority of us", "os.setpriority(os.PRIO_PROCESS, facts['us'], facts['priority'])\nreturn True"),
    Attempt("processors of us", "os.sched_setaffinity(facts['us'], facts['processors'])\nreturn True"),
]

KERNEL = [
    Attempt("ptrace", "return reaches(facts['numbers']['ptrace'], 0, 0, 0, 0)", ENDED),
    Attempt("ptrace of us", "return reaches(facts['numbers']['ptrace'], 16, facts['us'], 0, 0)", ENDED, "never"),
    Attempt("mount", "return reaches(facts['numbers']['mount'], 0, 0, 0, 0, 0)", ENDED, "root"),
    Attempt("new root", "return reaches(facts['numbers']['chroot'], b'.')", ENDED, "root"),
    Attempt("unshare", "return reaches(facts['numbers']['unshare'], 0x400)", ENDED),
    Attempt("new user namespace", "return reaches(facts['numbers']['unshare'], 0x10000000)", ENDED, "never"),
    Attempt("setns", "return reaches(facts['numbers']['setns'], -1, 0)", ENDED),
    Attempt("io_uring", "return reaches(facts['numbers']['io_uring_setup'], 1, 0)", ENDED, "never"),
    Attempt("bpf", "return reaches(facts['numbers']['bpf'], 999, 0, 0)", ENDED, "root"),
    Attempt("keys", "return reaches(facts['numbers']['keyctl'], 0, -3, 1)", ENDED, "never"),
    Attempt("faults", "return reaches(facts['numbers']['userfaultfd'], -1)", ENDED, "never"),
    Attempt("counters", "return reaches(facts['numbers']['perf_event_open'], 0, 0, -1, -1, 0)", ENDED, "root"),
    Attempt("modules", "return reaches(facts['numbers']['finit_module'], -1, 0, 0)", ENDED, "never"),
    Attempt("another kernel", "return reaches(facts['numbers']['kexec_load'], 0, 99, 0, 0)", ENDED, "never"),
    Attempt("root again", "os.setresuid(0, 0, 0)\nreturn True", bare="root"),
    Attempt("name of the host", "socket.sethostname(socket.gethostname())\nreturn True", bare="root"),
    Attempt("more memory", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nreturn True"),
    Attempt("other numbering", "return reaches(0x40000000 | 41, 2, 1, 0)", ENDED, "never"),
    Attempt(
        "32-bit call",
        """
import mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
return ctypes.CFUNCTYPE(ctypes.c_int)(start)() > 0
""",
        ("killed",),
        "never",
    ),
    Attempt(
        "state of our own package",
        "return any(name.split('.')[0] in ('sightline', 'tests', 'msgspec') for name in sys.modules)",
        ("ok",),
        "never",
    ),
    Attempt(
        "earlier programs in memory",
        """
import gc
texts = [each for each in gc.get_objects() if isinstance(each, (dict, list, tuple))]
return any(facts["word"][::-1] in map(str, each) for each in texts if len(each) < 50)
""",
        ENDED,
        "never",
    ),
    Attempt(
        "other descriptors",
        """
for place in range(4, 1024):
    try:
        os.fstat(place)
    except OSError:
        continue
    return True
return False
""",
        ("ok",),
        "never",
    ),
    Attempt("reading the reply's pipe", "return os.read(3, 1) == b''", bare="never"),
]

ATTEMPTS = [*NETWORK, *READING, *WRITING, *PROCESSES, *KERNEL]

WRITTEN = ("output", "timeout")
"""Whichever comes first on a slow disk."""

FLOODS = [
    Attempt("8 GB", "return len(bytearray(8 << 30)) > 0", ("memory",)),
    Attempt("8 GB of numbers", "import numpy\nreturn numpy.ones(1 << 30).sum()", ("memory",)),
    Attempt("memory in steps", "kept = []\nwhile True:\n    kept.append(bytearray(1 << 20))", ("memory",)),
    Attempt(
        "threads", "for _ in range(5000):\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    ),
    Attempt("endless loop", "while True:\n    pass", ("timeout",)),
    Attempt("sleep", "time.sleep(3600)", ("timeout",)),
    Attempt("lock", "lock = threading.Lock()\nlock.acquire()\nlock.acquire()", ("timeout",)),
    Attempt(
        "signals ignored",
        """
for each in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(each, signal.SIG_IGN)
while True:
    try:
        pass
    except BaseException:
        pass
""",
        ("timeout",),
    ),
    Attempt("stopping itself", "os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(3600)", ("timeout",)),
    Attempt("endless regular expression", "import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')", ("timeout",)),
    Attempt("endless output", "while True:\n    print('x' * 1000)", ("output",)),
    Attempt("endless raw output", "while True:\n    os.write(1, b'x' * 65536)", ("output",)),
    Attempt("endless errors", "while True:\n    os.write(2, b'x' * 65536)", ("timeout",)),
    Attempt("endless reply", "while True:\n    os.write(3, b'x' * 65536)", ("output",)),
    Attempt("large result", "return 'x' * (1 << 20)", ("output",)),
    Attempt(
        "300 MB file", "with open('f', 'wb') as file:\n    for _ in range(300):\n        file.write(bytes(1 << 20))"
    ),
    Attempt(
        "many large files",
        "for k in range(1000):\n    open(f'f{k}', 'wb').write(bytes(7 << 20))\n    time.sleep(0.005)",
        (*WRITTEN, "error"),
    ),
    Attempt("many files", "for k in range(10**7):\n    open(f'f{k}', 'wb').close()", WRITTEN),
    Attempt("deep folders", "while True:\n    os.mkdir('d')\n    os.chdir('d')", WRITTEN),
    Attempt("hidden files", "os.mkdir('d', 0o300)\nwhile True:\n    open('d/f', 'w').write('x')", WRITTEN),
    Attempt("exit", "os._exit(0)"),
    Attempt("crash", "ctypes.string_at(0)", ("killed",)),
    Attempt("abort", "os.abort()", ("killed",)),
    Attempt("killing itself", "os.kill(os.getpid(), signal.SIGKILL)", ("killed",)),
    Attempt("a rare signal", "os.kill(os.getpid(), 40)", ("killed",)),
    Attempt("closing everything", "os.closerange(0, 64)"),
    Attempt(
        "deep recursion", "sys.setrecursionlimit(10**9)\nf = lambda: f()\nf()", ("killed", "error", "memory", "timeout")
    ),
]
