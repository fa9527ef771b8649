"""Translated strings of the pages; templates contain no text of their own."""

from __future__ import annotations

from types import SimpleNamespace

from sightline.i18n import say


def page_strings() -> SimpleNamespace:
    """Return all strings by the names that templates use."""
    return SimpleNamespace(
        **_common_strings(), **_filter_strings(), **_sample_strings(), **_comparison_strings(), states=_state_names()
    )


def _state_names() -> dict[str, str]:
    """States of runs and ends of replies; those of samples are said by their own names."""
    return {
        "running": say("running"),
        "partial": say("partial"),
        "finished": say("finished"),
        "complete": say("complete"),
    }


def _common_strings() -> dict[str, str]:
    return {
        "runs": say("Runs"),
        "skip": say("Skip to the content"),
        "language": say("Language"),
        "model": say("Model"),
        "suite": say("Suite"),
        "state": say("State"),
        "score": say("Score"),
        "interval": say("95 % interval"),
        "control": say("Best control"),
        "skill": say("Skill"),
        "coverage": say("Coverage"),
        "samples": say("Samples"),
        "started": say("Started"),
        "took": say("Time asking"),
        "no_runs": say("No run is here yet. Make one: sightline demo"),
        "no_match": say("Nothing matches."),
        "not_graded": say("not graded yet"),
        "bars": say("Bars: the value, its 95 % interval (line), the best control (mark)."),
        "figures": say("Figures"),
        "deviations": say("Deviations from the standard protocol"),
        "notes": say("Notes"),
        "facts": say("How the data were read"),
        "none": say("none"),
        "keys": say("Keys"),
        "key_next": say("next, previous"),
        "key_open": say("open"),
        "key_filter": say("go to the filter"),
        "key_up": say("back to the list"),
        "key_help": say("show or hide this help"),
        "close": say("Close"),
        "latest": say("Latest replies"),
        "live_note": say("This run is going on; the page follows it."),
        "where": say("Folder"),
    }


def _filter_strings() -> dict[str, str]:
    return {
        "filter": say("Filter"),
        "filter_runs": say("Model, suite or folder"),
        "text": say("Text in id, note or source"),
        "task": say("Task"),
        "tag": say("Tag"),
        "low": say("Score from"),
        "high": say("to"),
        "sort": say("Order"),
        "all": say("all"),
        "apply": say("Show"),
        "clear": say("Clear"),
        "previous": say("Previous"),
        "next": say("Next"),
        "page_of": say("Pages"),
        "position": say("No."),
        "sample": say("Sample"),
        "note": say("Note"),
        "attempts": say("Attempts"),
    }


def _sample_strings() -> dict[str, str]:
    return {
        "picture": say("Picture"),
        "pictures": say("Pictures"),
        "zoom_in": say("Larger"),
        "zoom_out": say("Smaller"),
        "zoom_fit": say("Fit"),
        "drawings": say("Drawings"),
        "truth": say("Truth"),
        "reply": say("Reply"),
        "question": say("What was asked"),
        "attempt": say("Attempt"),
        "turn": say("Turn"),
        "failure": say("Failure"),
        "grade": say("Grade"),
        "why": say("Why"),
        "values": say("Values"),
        "source": say("Source"),
        "cluster": say("Cluster"),
        "weight": say("Weight"),
        "last_score": say("After feedback"),
        "best_score": say("Best attempt"),
        "empty_reply": say("The reply is empty."),
        "no_reply": say("No reply is kept for this sample."),
        "whole": say("The whole text as a file"),
        "cut": say("Cut here"),
        "not_shown": say("Not shown"),
        "differs": say("Lines that differ are marked."),
        "lines_alike": say("lines alike"),
        "seconds": say("Seconds"),
        "tokens": say("Tokens in, out"),
        "stop": say("End"),
        "shapes": say("shapes"),
        "media": say("Medium"),
    }


def _comparison_strings() -> dict[str, str]:
    return {
        "compare": say("Compare"),
        "compare_chosen": say("Compare the two chosen"),
        "compare_with": say("Compare with"),
        "choose": say("Choose"),
        "first": say("First run"),
        "second": say("Second run"),
        "other_run": say("The other run"),
        "difference": say("Difference"),
        "better": say("second better"),
        "worse": say("second worse"),
        "same": say("alike"),
        "other_data": say("The runs are on different data: samples are matched by id."),
        "paired": say("Samples that both have answered; those that differ most come first."),
    }
