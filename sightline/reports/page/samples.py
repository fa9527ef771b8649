"""Samples on the page: picture with truth and reply over it, what was asked, what came back, and what it earned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from sightline.core.errors import MediaError, SightlineError
from sightline.i18n import LANGUAGES, tr
from sightline.reports.figures import count, shown_name
from sightline.reports.html import safe
from sightline.reports.page.bilingual import phrase, said_in
from sightline.reports.page.pictures import small_uri
from sightline.reports.sample_selection import telling_samples
from sightline.reports.sample_view.drawings import data_uri
from sightline.reports.sample_view.pictures import picture
from sightline.reports.sample_view.plates import Plate
from sightline.reports.sample_view.reader import Reader
from sightline.reports.sample_view.shown import Shown, load_sample
from sightline.reports.sample_view.texts import Clip, sentence
from sightline.runs.comparison.graded_runs import GradedRun
from sightline.scoring.grades.messages import row_message

MOST_LETTERS = 2000
"""Of a reply, a prompt or a truth."""
SHORT = 600
"""A longer prompt is folded up: many suites put the same long words before every question."""
MOST_PICTURES = 4
PATIENCE = 60.0
Row = dict[str, Any]
Watcher = Callable[[str, int, int], None]


class Wish(Struct, frozen=True):
    """How many samples a page shows, and whether with their pictures."""

    samples: int = 12
    pictures: bool = True


def sample_cards(run: GradedRun, wish: Wish, level: int = 3, watch: Watcher = lambda what, done, total: None) -> str:
    """The chosen samples; where they can't be shown, words that say why."""
    watch("choosing samples", 0, 1)
    try:
        rows = telling_samples(run.folder, wish.samples)
        reader = Reader(run.folder, run.manifest, patience=PATIENCE) if rows else None
    except SightlineError as error:
        why = error
        return _note(lambda: tr("The samples can't be shown: {fault}", fault=str(why)))
    if reader is None:
        return ""
    cards: dict[int, str] = {}
    tasks = {row.name: row for row in run.summary.rows_of("task")}
    try:
        # in the order of the data set, so that it is read once
        for done, place in enumerate(sorted(range(len(rows)), key=lambda k: rows[k]["position"])):
            watch("showing samples", done, len(rows))
            cards[place] = _card(reader, rows[place] | {"task_row": tasks.get(rows[place]["task"])}, wish, level)
    finally:
        reader.close()
    return _note(_rule) + "".join(cards[place] for place in range(len(rows)))


def _rule() -> str:
    return tr(
        "Chosen by a rule: in turn one of each state, each time of the task that was shown least; among these the "
        "lowest score first, then the widest gap between attempts, then the order of the data set. Samples with full "
        "marks come only where places are left, three at most."
    )


def _card(reader: Reader, row: Row, wish: Wish, level: int) -> str:
    told = {tongue: said_in(tongue, lambda: load_sample(reader, row["position"], row)) for tongue in LANGUAGES}
    shown = told["en"]
    faults = [
        f'<p class="note">{_in_both(texts)}</p>' for texts in zip(*(one.faults for one in told.values()), strict=False)
    ]
    left = "".join(_plates(reader, told)) if wish.pictures else ""
    right = _asked(shown) + _reply(shown, row) + _text(lambda: tr("Truth"), shown.truth or _kept(row, "truth"))
    several = " several" if len(shown.plates) > 1 else ""
    sides = f'<div class="sides"><div class="media{several}">{left}</div><div>{right}</div></div>' if left else right
    state, score = str(row["status"]), row.get("score")
    badges = [
        f'<span class="badge">{phrase(lambda: _task(row))}</span>',
        f'<span class="badge {"" if state == "answered" else "bad"}">{phrase(lambda: tr(state))}</span>',
        f'<span class="badge {"good" if score is not None and score >= 1 else ""}">'
        f"{phrase(lambda: tr('Score'))}: {_points(score)}</span>",
        *_after(row),
    ]
    has_message = bool(row.get("message"))
    why = (
        f"<p>{phrase(lambda: tr('Why'))}: {phrase(lambda: row_message(row)[:MOST_LETTERS])}</p>" if has_message else ""
    )
    return (
        f'<div class="card"><h{level}>{safe(row["sample"])}</h{level}><p class="badges">{"".join(badges)}</p>{why}'
        f"{''.join(faults)}{sides}{_drawings(shown) if wish.pictures else ''}</div>"
    )


def _task(row: Row) -> str:
    named = row["task_row"]
    return str(row["task"]) if named is None else shown_name(named)


def _points(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _after(row: Row) -> list[str]:
    """Scores of further attempts, where there were any."""
    if (row.get("attempts") or 1) < 2:
        return []
    last = _points(row.get("last_score"))
    return [f'<span class="badge">{phrase(lambda: tr("After feedback"))}: {last}</span>']


def _in_both(texts: Sequence[str]) -> str:
    """Texts that were made in each language already."""
    by_tongue = dict(zip(LANGUAGES, texts, strict=True))
    if len(set(texts)) == 1:
        return safe(texts[0])
    return "".join(f'<span class="{tongue}" lang="{tongue}">{safe(text)}</span>' for tongue, text in by_tongue.items())


def _plates(reader: Reader, told: dict[str, Shown]) -> list[str]:
    parts = []
    plates = list(zip(*(shown.plates for shown in told.values()), strict=True))
    for pair in plates[:MOST_PICTURES]:
        plate = pair[0]
        if plate.text is not None:
            parts.append(_text(lambda: tr("Medium"), plate.text))
        elif plate.fault:
            parts.append(f'<p class="note">{_in_both([one.fault for one in pair])}</p>')
        else:
            parts.append(_picture(reader, told["en"], plate))
    if (left := len(plates) - MOST_PICTURES) > 0:
        parts.append(_note(lambda: tr("{count} more media are not shown.", count=left)))
    return parts


def _picture(reader: Reader, shown: Shown, plate: Plate) -> str:
    try:
        source = small_uri(picture(shown.media[plate.number], reader.data))
    except MediaError as error:
        why = error
        return _note(lambda: str(why))
    # the caption says in both languages what is drawn
    overlay = plate.overlay.replace(' role="img" aria-label=', ' aria-hidden="true" data-shapes=', 1)
    caption = f'<p class="note">{_shapes(plate)}</p>' if overlay else ""
    return f'<div class="picture"><img src="{source}" alt="{safe(_alternative(shown))}">{overlay}</div>{caption}'


def _alternative(shown: Shown) -> str:
    return shown.sample.id if shown.sample is not None else ""


def _shapes(plate: Plate) -> str:
    parts = []
    for name, layer, words in (
        ("truth", plate.truth, lambda: tr("Truth")),
        ("reply", plate.reply, lambda: tr("Reply")),
    ):
        if layer is not None:
            number = layer.count
            told = phrase(words), phrase(lambda number=number: f"{count(number)} {tr('shapes')}")  # type: ignore[misc]
            parts.append(f'<b class="{name}-key">{told[0]}</b>: {told[1]}')
    return " · ".join(parts)


def _asked(shown: Shown) -> str:
    """The words of the first prompt."""
    turns = shown.prompts[0] if shown.prompts else ()
    text = "\n\n".join(part.text for part in turns[0] if part.text) if turns else ""
    more = len(turns) - 1
    rest = _note(lambda: tr("and {count} more turns", count=more)) if more > 0 else ""
    if not text:
        return ""
    body = _text(lambda: tr("What was asked"), Clip(text, len(text))) + rest
    if len(text) <= SHORT:
        return body
    return f"<details><summary>{phrase(lambda: tr('What was asked'))}</summary>{body}</details>"


def _reply(shown: Shown, row: Row) -> str:
    reply = shown.reply or _kept(row, "reply")
    parts = [_text(lambda: tr("Reply"), reply)] if reply is not None else []
    if len(shown.attempts) > 1 and (answers := shown.attempts[-1].answers):
        number = len(shown.attempts)
        parts.append(_text(lambda: tr("Reply of attempt {number}", number=number), answers[-1].text))
    failure = next((tried.failure for tried in shown.attempts if tried.failure is not None), None)
    if failure is not None:
        words = failure.text
        parts.append(_text(lambda: tr("Failure"), Clip(words, len(words))))
    if not parts:
        parts.append(_note(lambda: tr("No reply is kept for this sample.")))
    return "".join(parts)


def _kept(row: Row, name: str) -> Clip | None:
    """A text that the grades keep themselves: files may be scored whose samples could not be asked."""
    text = row.get(name)
    return None if text is None else Clip(str(text), len(str(text)))


def _text(words: Callable[[], str], clip: Clip | None) -> str:
    """Other people's text under its name; where it is cut, that is said."""
    if clip is None:
        return ""
    if not clip.text.strip():
        return _name(words) + _note(lambda: tr("empty"))
    text = clip.text[:MOST_LETTERS]
    cut = ""
    if clip.size > len(text):
        facts = {"shown": count(len(text)), "size": count(clip.size)}
        cut = _note(lambda: tr("Cut: the first {shown} of {size} characters.", **facts))
    return f'{_name(words)}<pre tabindex="0">{safe(text)}</pre>{cut}'


def _name(words: Callable[[], str]) -> str:
    return f'<p class="name">{phrase(words)}</p>'


def _note(words: Callable[[], str]) -> str:
    return f'<p class="note">{phrase(words)}</p>'


def _drawings(shown: Shown) -> str:
    made = []
    for drawing in shown.drawings:
        title = phrase(lambda drawing=drawing: sentence(drawing.title))  # type: ignore[misc]
        image = f'<img src="{data_uri(drawing)}" alt="{safe(sentence(drawing.title))}">' if drawing.svg else ""
        notes = "".join(
            f'<p class="note">{phrase(lambda note=note: sentence(note))}</p>'  # type: ignore[misc]
            for note in drawing.notes
        )
        made.append(f"<figure><figcaption>{title}</figcaption>{image}{notes}</figure>")
    return f'<div class="drawings">{"".join(made)}</div>' if made else ""
