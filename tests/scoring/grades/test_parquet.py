"""Parquet files joined by their bytes, read again by DuckDB and by Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as arrow
import pyarrow.parquet as arrow_parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.core.errors import StorageError
from sightline.scoring.grades.parquet_join import (
    FALSE,
    I16,
    I32,
    I64,
    LIST,
    STRUCT,
    TRUE,
    Reader,
    ThriftList,
    encode,
    join_files,
)

COLUMNS = (
    "i::BIGINT AS position, 'task ' || i % 7 AS task, CASE WHEN i % 5 > 0 THEN i / 3 END AS score, "
    "MAP {'file': 'f' || i % 3, 'level': 'é'} AS tags, [i, i + 1] AS pair, to_json({n: i}) AS values, i % 2 = 0 AS even"
)


def write(path: Path, first: int, count: int, options: str = "", columns: str = COLUMNS) -> Path:
    duckdb.sql(
        f"COPY (SELECT {columns} FROM range({first}, {first + count}) r(i)) TO '{path}' (FORMAT parquet{options})"
    )
    return path


def rows(*paths: Path) -> list[Any]:
    return [row for path in paths for row in duckdb.sql(f"SELECT * FROM '{path}'").fetchall()]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    counts=st.lists(st.sampled_from([0, 1, 100, 3000, 9000]), min_size=1, max_size=4),
    codec=st.sampled_from(["zstd", "snappy", "uncompressed"]),
    group=st.sampled_from([2048, 4096, 100_000]),
    version=st.sampled_from(["v1", "v2"]),
)
def test_the_rows_are_those_of_all_files(
    tmp_path: Path, counts: list[int], codec: str, group: int, version: str
) -> None:
    options = f", COMPRESSION {codec}, ROW_GROUP_SIZE {group}, PARQUET_VERSION {version}"
    paths = [write(tmp_path / f"{n}.parquet", 10_000 * n, count, options) for n, count in enumerate(counts)]
    whole = tmp_path / "whole.parquet"
    assert join_files(paths, whole)
    assert rows(whole) == rows(*paths)
    found = arrow_parquet.read_table(whole)
    found.validate(full=True)
    assert found.equals(arrow.concat_tables([arrow_parquet.read_table(path) for path in paths]))
    groups = [arrow_parquet.ParquetFile(path).metadata.num_row_groups for path in (*paths, whole)]
    assert groups[-1] == sum(groups[:-1])


def test_what_a_reader_skips_rows_by_is_still_right(tmp_path: Path) -> None:
    """Bloom filters, page indexes and statistics, as DuckDB and Arrow write them."""
    names = "'n' || (i * 7919) % 40 AS name, i AS position"
    paths = [write(tmp_path / f"{n}.parquet", 5000 * n, 5000, ", ROW_GROUP_SIZE 2048", names) for n in range(3)]
    whole = tmp_path / "whole.parquet"
    assert join_files(paths, whole)
    filters = duckdb.sql(f"SELECT bloom_filter_offset FROM parquet_metadata('{whole}')").fetchall()
    assert any(start for (start,) in filters)
    for name, position in (("n7", 14_321), ("n39", 12), ("none", 5000)):
        where = f"WHERE name = '{name}' OR position = {position}"
        wanted = [row for path in paths for row in duckdb.sql(f"SELECT * FROM '{path}' {where}").fetchall()]
        assert duckdb.sql(f"SELECT * FROM '{whole}' {where}").fetchall() == wanted
    paged = [tmp_path / f"paged{n}.parquet" for n in range(2)]
    for path, source in zip(paged, paths, strict=False):
        table = arrow_parquet.read_table(source)
        arrow_parquet.write_table(table, path, write_page_index=True, row_group_size=1000, data_page_size=512)
    assert join_files(paged, whole)
    assert arrow_parquet.read_table(whole, filters=[("position", "=", 7000)]).to_pylist() == [
        {"name": "n" + str(7000 * 7919 % 40), "position": 7000}
    ]
    assert rows(whole) == rows(*paged)


def test_files_of_different_columns_are_not_joined(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "a.parquet", 0, 5),
        write(tmp_path / "b.parquet", 0, 5, columns=COLUMNS + ", 1 AS more"),
    ]
    assert not join_files(paths, tmp_path / "whole.parquet")


@pytest.mark.parametrize("cut", [0, 3, 4, 11, 12, 500, -1, -8, -9, -200])
def test_a_damaged_file_is_named(tmp_path: Path, cut: int) -> None:
    good, bad = write(tmp_path / "a.parquet", 0, 50), write(tmp_path / "b.parquet", 50, 50)
    bad.write_bytes(bad.read_bytes()[:cut])
    with pytest.raises(StorageError, match=r"b\.parquet is damaged") as told:
        join_files([good, bad], tmp_path / "whole.parquet")
    assert told.value.hint


@pytest.mark.slow
def test_any_footer_is_joined_or_refused(tmp_path: Path) -> None:
    """Each byte of a footer changed in turn: never anything but our own error."""
    good, bad, whole = write(tmp_path / "a.parquet", 0, 50), tmp_path / "b.parquet", tmp_path / "whole.parquet"
    data = good.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    refused = 0
    for place in range(len(data) - 8 - length, len(data) - 4):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1 :])
        try:
            join_files([good, bad], whole)
        except StorageError:
            refused += 1
    assert refused > length / 20


numbers = st.integers(-(2**63), 2**63 - 1)
leaves = st.one_of(
    st.tuples(st.sampled_from([I16, I32, I64]), numbers),
    st.just((TRUE, True)),
    st.just((FALSE, False)),
    st.builds(lambda items: (LIST, ThriftList(I64, items)), st.lists(numbers, max_size=20)),
    st.builds(lambda text: (8, text), st.binary(max_size=200)),
)
structs = st.recursive(
    st.dictionaries(st.integers(1, 400), leaves, max_size=6),
    lambda inner: st.dictionaries(
        st.integers(1, 40),
        st.one_of(
            inner.map(lambda one: (STRUCT, one)),
            st.lists(inner, max_size=17).map(lambda all: (LIST, ThriftList(12, all))),
        ),
        max_size=3,
    ),
    max_leaves=12,
)


@given(structs)
def test_what_is_encoded_is_read_again(fields: dict[int, tuple[int, Any]]) -> None:
    assert Reader(encode(fields)).struct() == fields


def test_a_real_footer_keeps_every_byte(tmp_path: Path) -> None:
    data = write(tmp_path / "a.parquet", 0, 5000, ", ROW_GROUP_SIZE 2048").read_bytes()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    assert encode(Reader(footer).struct()) == footer
