"""Other people's text: nothing in it is hidden, and endless text is cut."""

from __future__ import annotations

from sightline.core.remarks import Remark, format_remark
from sightline.reports.sample_view.texts import clip, pretty_json, show_hidden


def test_visible_leaves_ordinary_text_alone() -> None:
    text = "Größe 中文 العربية 👩‍👩‍👧 \t\n x² – “quoted”"
    assert show_hidden(text) == text
    assert show_hidden("a\r\nb\ud800") == "a\nb⟨U+D800⟩"
    assert show_hidden(7) == 7


def test_json_is_laid_out_and_anything_else_kept() -> None:
    assert pretty_json('so: {"a": [{"b": 1}, {"b": 2}]}') == '{\n  "a": [\n    {"b": 1},\n    {"b": 2}\n  ]\n}'
    for text in ("{", "}{", '{"a":' * 50_000 + "1" + "}" * 50_000, "[" * 100_000, "plain"):
        assert pretty_json(text) == text


def test_a_text_is_cut_and_its_length_told() -> None:
    assert clip("abc", 2).text == "ab"
    assert (clip("abc", 2).size, clip("abc", 2).is_truncated, clip("abc", 3).is_truncated) == (3, True, False)


def test_a_remark_of_a_file_is_filled_in_only_where_that_is_safe() -> None:
    facts = {"a": "<b>"}
    assert format_remark(Remark("so: {a}", facts)) == "so: <b>"
    for text in ("{a.__class__}", "{a:>999999999}", "{missing}", "{", "{a!r}"):
        assert format_remark(Remark(text, facts)) == text
