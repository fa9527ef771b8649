"""Translated strings of the pages; templates contain no text of their own."""

from __future__ import annotations

from types import SimpleNamespace

from sightline.i18n import tr


def page_strings() -> SimpleNamespace:
    """Return all strings by the names that templates use."""
    return SimpleNamespace(
        **_common_strings(), **_filter_strings(), **_sample_strings(), **_comparison_strings(), states=_state_names()
    )


def _state_names() -> dict[str, str]:
    """States of runs and ends of replies; those of samples are said by their own names."""
    return {
        "running": tr("running"),
        "partial": tr("partial"),
        "finished": tr("finished"),
        "complete": tr("complete"),
    }


def _common_strings() -> dict[str, str]:
    return {
        "runs": tr("Runs"),
        "skip": tr("Skip to the content"),
        "language": tr("Language"),
        "model": tr("Model"),
        "suite": tr("Suite"),
        "state": tr("State"),
        "score": tr("Score"),
        "interval": tr("95 % interval"),
        "control": tr("Best blind baseline"),
        "skill": tr("Skill"),
        "coverage": tr("Coverage"),
        "samples": tr("Samples"),
        "started": tr("Started"),
        "took": tr("Inference time"),
        "no_runs": tr("No run is here yet. Make one: sightline demo"),
        "no_match": tr("Nothing matches."),
        "not_graded": tr("not graded yet"),
        "bars": tr("Bars: value, 95 % interval (line), best blind baseline (mark)."),
        "figures": tr("Figures"),
        "deviations": tr("Deviations from the standard protocol"),
        "notes": tr("Notes"),
        "facts": tr("How the data were read"),
        "none": tr("none"),
        "keys": tr("Keys"),
        "key_next": tr("next, previous"),
        "key_open": tr("open"),
        "key_filter": tr("go to the filter"),
        "key_up": tr("back to the list"),
        "key_help": tr("show or hide this help"),
        "close": tr("Close"),
        "latest": tr("Latest replies"),
        "live_note": tr("This run is going on; the page follows it."),
        "where": tr("Folder"),
    }


def _filter_strings() -> dict[str, str]:
    return {
        "filter": tr("Filter"),
        "filter_runs": tr("Model, suite or folder"),
        "text": tr("Text in id, note or source"),
        "task": tr("Task"),
        "tag": tr("Tag"),
        "low": tr("Score from"),
        "high": tr("to"),
        "sort": tr("Order"),
        "all": tr("all"),
        "apply": tr("Show"),
        "clear": tr("Clear"),
        "previous": tr("Previous"),
        "next": tr("Next"),
        "page_of": tr("Pages"),
        "position": tr("No."),
        "sample": tr("Sample"),
        "note": tr("Note"),
        "attempts": tr("Attempts"),
    }


def _sample_strings() -> dict[str, str]:
    return {
        "picture": tr("Picture"),
        "pictures": tr("Pictures"),
        "zoom_in": tr("Larger"),
        "zoom_out": tr("Smaller"),
        "zoom_fit": tr("Fit"),
        "drawings": tr("Drawings"),
        "truth": tr("Truth"),
        "reply": tr("Reply"),
        "question": tr("What was asked"),
        "attempt": tr("Attempt"),
        "turn": tr("Turn"),
        "failure": tr("Failure"),
        "grade": tr("Grade"),
        "why": tr("Why"),
        "values": tr("Values"),
        "source": tr("Source"),
        "cluster": tr("Cluster"),
        "weight": tr("Weight"),
        "last_score": tr("After feedback"),
        "best_score": tr("Best attempt"),
        "empty_reply": tr("The reply is empty."),
        "no_reply": tr("No reply is kept for this sample."),
        "whole": tr("The whole text as a file"),
        "cut": tr("Cut here"),
        "not_shown": tr("Not shown"),
        "differs": tr("Lines that differ are marked."),
        "lines_alike": tr("lines alike"),
        "seconds": tr("Seconds"),
        "tokens": tr("Tokens in, out"),
        "stop": tr("End"),
        "shapes": tr("shapes"),
        "media": tr("Medium"),
    }


def _comparison_strings() -> dict[str, str]:
    return {
        "compare": tr("Compare"),
        "compare_chosen": tr("Compare the two chosen"),
        "compare_with": tr("Compare with"),
        "choose": tr("Choose"),
        "first": tr("First run"),
        "second": tr("Second run"),
        "other_run": tr("The other run"),
        "difference": tr("Difference"),
        "better": tr("second better"),
        "worse": tr("second worse"),
        "same": tr("alike"),
        "other_data": tr("The runs are on different data: samples are matched by id."),
        "paired": tr("Samples that both have answered; those that differ most come first."),
    }
