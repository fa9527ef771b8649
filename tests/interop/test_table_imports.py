"""Tables and logs of other tools in: what is counted afterwards is what one counts by hand."""

from __future__ import annotations

import base64
import csv
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sightline.api.evaluation import score
from sightline.core.errors import DataError, UnknownNameError, UsageError
from sightline.core.records import Parsed, Unparsed
from sightline.core.registry import find
from sightline.interop.importing import ImportRequest, ImportResult, import_files
from tests.support.peers import Peer

pd = Peer("pandas")


def picture(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("L", (24, 24), shade).save(out, "PNG")
    return out.getvalue()


def taken(format: str, source: Path, out: Path, **more: Any) -> ImportResult:
    return import_files(ImportRequest(format=format, source=source, out=out, **more))


def lines_of(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.txt"))
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]


def accuracy(out: Path, task: str, **more: Any) -> float | None:
    report = score(out / "anno", out / "output", output_dir=str(out / "scored"), **more)
    return report.value(task, "accuracy")


def choices() -> pd.DataFrame:
    """A benchmark as VLMEvalKit lays it out; the last row shares the picture of the first."""
    pictures = [base64.b64encode(picture(shade)).decode() for shade in (10, 60, 110)] + ["100"]
    return pd.DataFrame(
        {
            "index": [100, 101, 102, 103],
            "image": pictures,
            "question": ["What is it?", 'Which "one",\nof these?', "飞机在哪？", "And now?"],
            "hint": ["", "", "look closely", ""],
            "A": ["ship", "car", "左", "yes"],
            "B": ["plane", "train", "右", "no"],
            "answer": ["B", "A", "A", "B"],
            "category": ["what", "which", "where", "what"],
            "l2-category": ["scene", "scene", "place", "scene"],
        }
    )


REPLIES = ["B", "The answer is B.", "A. 左", "perhaps"]
"""Right, wrong, right, and none that can be read."""


def test_a_vlmevalkit_benchmark_with_its_results(tmp_path: Path) -> None:
    """Written by pandas with a tab between cells, as VLMEvalKit itself writes its tables."""
    asked = choices()
    asked.to_csv(tmp_path / "Bench.tsv", sep="\t", index=False)
    asked.drop(columns="image").assign(prediction=REPLIES).to_csv(tmp_path / "Model.tsv", sep="\t", index=False)
    done = taken("vlmevalkit", tmp_path / "Bench.tsv", tmp_path / "in", results=tmp_path / "Model.tsv")
    assert (done.samples, done.replies, done.faults) == (4, 4, 0), done.first
    rows = lines_of(tmp_path / "in" / "anno")
    assert rows[2]["prompt"].splitlines() == [
        "look closely",
        "飞机在哪？",
        "A. 左",
        "B. 右",
        "Answer with the option's letter.",
    ]
    assert base64.b64decode(rows[0]["frames"][0]) == picture(10)
    assert rows[3]["frames"] == rows[0]["frames"] and rows[3]["source"] == rows[0]["source"]
    tasks = str(tmp_path / "in" / "tasks.json")
    assert accuracy(tmp_path / "in", "multiple choice", task_config=tasks) == 2 / 4


def test_a_workbook_says_the_same_as_the_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    asked = choices().drop(columns="image").assign(prediction=REPLIES)
    asked.to_csv(tmp_path / "Model.tsv", sep="\t", index=False)
    book = openpyxl.Workbook()
    book.active.append(list(asked.columns))
    for row in asked.itertuples(index=False):
        book.active.append([cell or None for cell in row])
    book.save(tmp_path / "Model.xlsx")
    for name in ("tsv", "xlsx"):
        done = taken("vlmevalkit", tmp_path / f"Model.{name}", tmp_path / name)
        assert (done.samples, done.replies, done.faults) == (4, 4, 0)
    for part in ("anno/Model.txt", "output/Model_output.txt"):
        assert (tmp_path / "tsv" / part).read_bytes() == (tmp_path / "xlsx" / part).read_bytes()


def test_bad_rows_are_told_with_their_line_and_cost_nothing_else(tmp_path: Path) -> None:
    good = "1\tIs it?\tYes\tYes\n"
    table = (
        "index\tquestion\tanswer\tprediction\n" + good + "2\ttorn\n" + "3\tIs it?\t\tYes\n" + good.replace("1", "4", 1)
    )
    (tmp_path / "bench.tsv").write_text(table, encoding="utf-8")
    done = taken("vlmevalkit", tmp_path / "bench.tsv", tmp_path / "in", task="VQA1")
    assert (done.samples, done.replies, done.faults) == (2, 2, 2)
    log = [line.split("\t")[1:] for line in (tmp_path / "in" / "import_log.txt").read_text().splitlines()]
    assert log == [["3", "the row has 2 cells instead of 4"], ["4", "the row has no answer"]]
    assert accuracy(tmp_path / "in", "VQA1") == 1


def test_pictures_come_from_their_folder_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "bench" / "pictures").mkdir(parents=True)
    (tmp_path / "bench" / "pictures" / "a.png").write_bytes(picture(1))
    (tmp_path / "bench" / "notes.png").write_text("no picture at all")
    (tmp_path / "outside.png").write_bytes(picture(2))
    (tmp_path / "bench" / "link.png").symlink_to(tmp_path / "outside.png")
    names = ["pictures/a.png", "../outside.png", str(tmp_path / "outside.png"), "link.png", "notes.png", "C:\\x.png"]
    names += ["pictures\\..\\..\\outside.png", "//server/share/x.png", "pictures/a.png\0"]
    with (tmp_path / "bench" / "b.tsv").open("w", newline="") as file:
        out = csv.writer(file, delimiter="\t")
        out.writerow(["index", "question", "answer", "image_path"])
        out.writerows([number, "Is it?", "Yes", name] for number, name in enumerate(names))
    done = taken("vlmevalkit", tmp_path / "bench" / "b.tsv", tmp_path / "in", task="VQA1")
    rows = lines_of(tmp_path / "in" / "anno")
    assert [row["source"] for row in rows if "frames" in row] == ["pictures/a.png"]
    assert done.samples == len(names) and done.faults == len(names) - 1
    log = (tmp_path / "in" / "import_log.txt").read_text()
    assert log.count("is outside the image folder") == len(names) - 2


LMMS = [
    # as lmms-eval 0.7.3 writes them: one request a document, flattened
    {"doc_id": 0, "target": "Yes", "resps": ["Yes "], "filtered_resps": "Yes", "input": ["Is it? 0", {"until": []}]},
    {"doc_id": 1, "target": "No", "filtered_resps": "Yes", "input": ["Is it? 1", {}], "vqa_score": 0.0},
    # as earlier versions do
    {
        "doc_id": 2,
        "doc": {"question": "Is it? 2"},
        "target": "Yes",
        "arguments": [["Is it? 2", "{}"]],
        "resps": [["No"]],
    },
    {
        "doc_id": 3,
        "doc": {},
        "target": "No",
        "arguments": {"0": ["Is it? 3"]},
        "resps": [["no"]],
        "filtered_resps": ["no"],
    },
]


def test_lmms_eval_logs(tmp_path: Path) -> None:
    """The library asks for PyTorch to be imported at all, so the lines are written here, to the layout that its own
    `save_results_samples` gives."""
    text = "\n".join([*map(json.dumps, LMMS), "{broken", '["no object"]', '{"doc_id": 9}', ""])
    path = tmp_path / "20260101_samples_ships.jsonl"
    path.write_text(text, encoding="utf-8")
    done = taken("lmms-eval", path, tmp_path / "in", task="presence question")
    assert (done.samples, done.replies, done.faults) == (4, 4, 3)
    assert [line.split("\t")[1] for line in (tmp_path / "in" / "import_log.txt").read_text().splitlines()] == list(
        "567"
    )
    assert [row["prompt"] for row in lines_of(tmp_path / "in" / "anno")] == [f"Is it? {n}" for n in range(4)]
    assert accuracy(tmp_path / "in", "VQA1") == 2 / 4


def test_columns_are_named_by_the_user(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    lines = [{"doc_id": n, "target": "ignored", "doc": {"truth": {"count": n}}, "resps": [[str(n)]]} for n in range(3)]
    path.write_text("\n".join(map(json.dumps, lines)))
    taken("lmms-eval", path, tmp_path / "in", task="counting", field_mapping=("doc.truth.count=gt",))
    assert [row["gt"] for row in lines_of(tmp_path / "in" / "anno")] == ["0", "1", "2"]
    mapping = tmp_path / "fields.json"
    mapping.write_text('{"doc.truth.count": "gt"}')
    taken("lmms-eval", path, tmp_path / "again", task="counting", field_mapping=(str(mapping),))
    assert lines_of(tmp_path / "again" / "anno") == lines_of(tmp_path / "in" / "anno")
    with pytest.raises(UnknownNameError, match="Did you mean 'gt'"):
        taken("lmms-eval", path, tmp_path / "third", task="counting", field_mapping=("doc.truth.count=gtt",))


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    """By Hugging Face's own library where it is installed, else by DuckDB to the same layout."""
    try:
        import datasets
    except ImportError:
        import duckdb

        path.with_suffix(".json").write_text(
            json.dumps([{**row, "image": {"bytes": row["image"].hex(), "path": None}} for row in rows])
        )
        duckdb.sql(
            "COPY (SELECT question, answer, {'bytes': from_hex(image.bytes), 'path': NULL::VARCHAR} AS image, reply "
            f"FROM read_json('{path.with_suffix('.json')}')) TO '{path}' (FORMAT parquet)"
        )
        path.with_suffix(".json").unlink()
        return
    entries = [{**row, "image": {"bytes": row["image"], "path": None}} for row in rows]
    features = datasets.Features(
        {
            "question": datasets.Value("string"),
            "answer": datasets.Value("int64"),
            "image": datasets.Image(),
            "reply": datasets.Value("string"),
        }
    )
    datasets.Dataset.from_list(entries, features=features).to_parquet(str(path))


def test_a_hugging_face_data_set(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for shard in range(2):
        rows = [
            {
                "question": f"How many? {n}",
                "answer": n,
                "image": picture(10 * shard + n),
                "reply": str(n if n % 2 else 7),
            }
            for n in range(4)
        ]
        write_parquet(tmp_path / "data" / f"test-0000{shard}-of-00002.parquet", rows)
    done = taken("parquet", tmp_path / "data", tmp_path / "in", task="计数", field_mapping=("reply=model_output",))
    assert (done.samples, done.replies, done.faults) == (8, 8, 0), done.first
    rows = lines_of(tmp_path / "in" / "anno")
    assert len({row["sample_id"] for row in rows}) == 8
    for shade, row in zip([0, 1, 2, 3, 10, 11, 12, 13], rows, strict=True):
        assert (tmp_path / "in" / row["source"]).read_bytes() == picture(shade) == base64.b64decode(row["frames"][0])
    assert accuracy(tmp_path / "in", "计数") == 4 / 8


def test_a_repeated_index_is_told_and_its_first_row_counts(tmp_path: Path) -> None:
    (tmp_path / "Bench.tsv").write_text("index\tA\tB\tanswer\n0\tx\ty\tA\n1\tx\ty\tB\n0\tx\ty\tB\n")
    (tmp_path / "M_Bench.tsv").write_text("index\tprediction\n0\tA\n1\tB\n1\tA\n")
    done = taken("vlmevalkit", tmp_path / "Bench.tsv", tmp_path / "in", results=tmp_path / "M_Bench.tsv")
    assert (done.samples, done.replies) == (2, 2)
    assert [(Path(where).name, why.args["name"]) for where, why in done.first] == [
        ("Bench.tsv:4", "0"),
        ("M_Bench.tsv:4", "1"),
    ]
    assert accuracy(tmp_path / "in", "multiple choice", task_config=str(tmp_path / "in" / "tasks.json")) == 1


def test_a_file_that_is_no_parquet_is_told_in_one_line_and_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no table at all")
    with pytest.raises(DataError, match="Cannot read") as told:
        taken("parquet", tmp_path / "bad.parquet", tmp_path / "in", task="VQA1")
    assert "SELECT" not in str(told.value) and len(str(told.value).splitlines()) == 1
    assert not (tmp_path / "in").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(DataError, match="Cannot read"):
        taken("parquet", tmp_path / "bad.parquet", tmp_path / "mine", task="VQA1")
    assert (tmp_path / "mine").is_dir()  # it was there before


def test_rows_without_a_task_are_asked_for_one(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(LMMS[0]))
    with pytest.raises(UsageError, match="name no task"):
        taken("lmms-eval", path, tmp_path / "a")
    with pytest.raises(UnknownNameError, match="Did you mean 'counting'"):
        taken("lmms-eval", path, tmp_path / "b", task="countin")
    with pytest.raises(UnknownNameError, match="Did you mean 'lmms-eval'"):
        taken("lmms_evl", path, tmp_path / "c")
    assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists() and not (tmp_path / "c").exists()


def test_nothing_to_take_over_is_an_error_and_old_folders_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("{}\n")
    with pytest.raises(DataError, match="contains no row"):
        taken("lmms-eval", path, tmp_path / "a", task="VQA1")
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["import_log.txt"]
    path.write_text(json.dumps(LMMS[0]))
    assert taken("lmms-eval", path, tmp_path / "a", task="VQA1").samples == 1  # the log alone is in nobody's way
    with pytest.raises(UsageError, match="not empty"):
        taken("lmms-eval", path, tmp_path / "a", task="VQA1")


def test_results_of_several_benchmarks_find_their_own(tmp_path: Path) -> None:
    for folder, column in (("bench", "answer"), ("results", "prediction")):
        (tmp_path / folder).mkdir()
        for name, said in (("Ships", "A"), ("BigShips", "B")):
            prefix = "" if folder == "bench" else "gpt-4o_"
            (tmp_path / folder / f"{prefix}{name}.tsv").write_text(
                f"index\tquestion\tA\tB\t{column}\n0\t?\tx\ty\t{said}\n"
            )
    (tmp_path / "results" / "gpt-4o_Planes.tsv").write_text("index\tprediction\n0\tA\n")
    done = taken("vlmevalkit", tmp_path / "bench", tmp_path / "in", results=tmp_path / "results")
    assert (done.samples, done.replies, done.faults) == (2, 2, 1)
    assert accuracy(tmp_path / "in", "multiple choice", task_config=str(tmp_path / "in" / "tasks.json")) == 1


def test_halves_of_characters_and_other_oddities_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    odd = ["\\ud800", "\\u0000", "\u2028", "💥", "</script>", "a\\tb\\nc", "NaN"]
    path.write_text(
        "".join(f'{{"doc_id": "{n}{text}", "target": "Yes", "resps": [["{text}"]]}}\n' for n, text in enumerate(odd))
    )
    done = taken("lmms-eval", path, tmp_path / "in", task="VQA1")
    assert (done.samples, done.replies, done.faults) == (len(odd), len(odd), 0)
    assert accuracy(tmp_path / "in", "VQA1") == 0
    assert len((tmp_path / "in" / "anno" / "odd.txt").read_bytes().split(b"\n")) == len(odd) + 1


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "b"),
        ("(b)", "b"),
        ("B. ship", "b"),
        ("The answer is B.", "b"),
        ("选 C", "c"),
        ("A or B", None),
        ("", None),
    ],
)
def test_letters_are_read_as_people_write_them(reply: str, letter: str | None) -> None:
    read = find("parsers", "option_letter")(reply)
    assert (read.value.lower() if isinstance(read, Parsed) else None) == letter


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_the_reader_of_letters_survives_any_text(text: str) -> None:
    assert isinstance(find("parsers", "option_letter")(text), Parsed | Unparsed)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        path = tmp_path / f"{rows}.tsv"
        with path.open("w") as file:
            file.write("index\tquestion\tanswer\tprediction\n")
            file.writelines(f"{n}\t{'Is there a ship? ' * 1000}\tYes\tNo\n" for n in range(rows))
        tracemalloc.start()
        done = taken("vlmevalkit", path, tmp_path / f"in{rows}", task="VQA1")
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert done.samples == rows
        return used

    peak(3)
    assert peak(400) < peak(40) + 200_000  # 360 rows more are 6 MB as text alone
