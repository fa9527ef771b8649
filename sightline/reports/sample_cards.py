"""Sample cards of a report page: image with overlays, prompt, reply, target and score."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sightline.core.errors import MediaError, SightlineError
from sightline.core.remarks import Remark, format_remark
from sightline.i18n import LANGUAGES, tr
from sightline.reports.formatting import format_count, row_name
from sightline.reports.html import bilingual_text, in_language, safe
from sightline.reports.sample_selection import notable_samples
from sightline.reports.sample_view.media import LoadedImage, MediaView, drawing_uri, load_image
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.texts import Clip
from sightline.reports.sample_view.view import SampleView, load_sample
from sightline.runs.comparison.graded_runs import GradedRun
from sightline.scoring.grades.messages import row_message

if TYPE_CHECKING:
    from PIL import Image

MAX_LETTERS = 2000
"""Of a reply, a prompt or a truth."""
_MAX_UNFOLDED = 600
"""A longer prompt is folded up: many suites put the same long words before every question."""
MAX_IMAGES = 4
_PATIENCE = 60.0
Row = dict[str, Any]
ProgressFunction = Callable[[str, int, int], None]


_SELECTION_RULE = Remark(
    "Selection rule: one sample per status in turn, each from the task shown least so far; then by lowest score, "
    "largest difference between attempts, and position in the data set. Samples with a full score only fill "
    "remaining slots, at most three."
)


class CardOptions(Struct, frozen=True):
    """How many samples a page shows, and whether with their pictures."""

    samples: int = 12
    pictures: bool = True


def sample_cards(
    run: GradedRun, options: CardOptions, level: int = 3, watch: ProgressFunction = lambda what, done, total: None
) -> str:
    """The chosen samples; where they can't be shown, words that say why."""
    watch("selecting samples", 0, 1)
    try:
        rows = notable_samples(run.folder, options.samples)
        reader = SampleReader(run.folder, run.manifest, patience=_PATIENCE) if rows else None
    except SightlineError as error:
        why = error
        return _note_html(lambda: tr("Cannot show samples: {fault}", fault=str(why)))
    if reader is None:
        return ""
    cards: dict[int, str] = {}
    tasks = {row.name: row for row in run.summary.rows_of("task")}
    try:
        # in the order of the data set, so that it is read once
        for done, place in enumerate(sorted(range(len(rows)), key=lambda k: rows[k]["position"])):
            watch("rendering samples", done, len(rows))
            row = rows[place] | {"task_row": tasks.get(rows[place]["task"])}
            cards[place] = _card_html(reader, row, options, level)
    finally:
        reader.close()
    return _note_html(lambda: str(_SELECTION_RULE)) + "".join(cards[place] for place in range(len(rows)))


def _card_html(reader: SampleReader, row: Row, options: CardOptions, level: int) -> str:
    repeat = row.get("repeat") or 1
    views = {
        lang: in_language(lang, lambda: load_sample(reader, row["position"], row, repeat=repeat)) for lang in LANGUAGES
    }
    shown = views["en"]
    faults = [
        f'<p class="note">{_bilingual_texts(texts)}</p>'
        for texts in zip(*(one.faults for one in views.values()), strict=False)
    ]
    left = "".join(_media_html(reader, views)) if options.pictures else ""
    right = (
        _prompt_html(shown)
        + _reply_html(shown, row)
        + _text_html(lambda: tr("Truth"), shown.truth or _stored_text(row, "truth"))
    )
    several = " several" if len(shown.media_views) > 1 else ""
    sides = f'<div class="sides"><div class="media{several}">{left}</div><div>{right}</div></div>' if left else right
    state, score, named = str(row["status"]), row.get("score"), row["task_row"]
    badges = [
        f'<span class="badge">{bilingual_text(lambda: str(row["task"]) if named is None else row_name(named))}</span>',
        f'<span class="badge {"" if state == "answered" else "bad"}">{bilingual_text(lambda: tr(state))}</span>',
        f'<span class="badge {"good" if score is not None and score >= 1 else ""}">'
        f"{bilingual_text(lambda: tr('Score'))}: {_format_score(score)}</span>",
        *([f'<span class="badge">{bilingual_text(lambda: tr("Repeat"))} {repeat}</span>'] if "repeat" in row else []),
        *_feedback_badges(row),
        *_format_badges(row),
    ]
    why = ""
    if row.get("message"):
        why = f"<p>{bilingual_text(lambda: tr('Reason'))}: {bilingual_text(lambda: row_message(row)[:MAX_LETTERS])}</p>"
    return (
        f'<div class="card"><h{level}>{safe(row["sample"])}</h{level}><p class="badges">{"".join(badges)}</p>{why}'
        f"{''.join(faults)}{sides}{_drawings_html(shown) if options.pictures else ''}</div>"
    )


def _format_score(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _feedback_badges(row: Row) -> list[str]:
    """Scores of further attempts, where there were any."""
    if (row.get("attempts") or 1) < 2:
        return []
    last = _format_score(row.get("last_score"))
    return [f'<span class="badge">{bilingual_text(lambda: tr("After feedback"))}: {last}</span>']


def _format_badges(row: Row) -> list[str]:
    """What was not as asked in the reply, and its lenient score."""
    if not (deviation := row.get("deviation")):
        return []
    lenient = _format_score(row.get("lenient_score"))
    return [
        f'<span class="badge">{bilingual_text(lambda: tr("Read leniently"))}: {lenient}</span>',
        f'<span class="badge">{bilingual_text(lambda: tr("Deviation"))}: '
        f"{bilingual_text(lambda: tr(str(deviation)))}</span>",
    ]


def _bilingual_texts(texts: Sequence[str]) -> str:
    """Texts that were made in each language already."""
    by_lang = dict(zip(LANGUAGES, texts, strict=True))
    if len(set(texts)) == 1:
        return safe(texts[0])
    return "".join(f'<span class="{lang}" lang="{lang}">{safe(text)}</span>' for lang, text in by_lang.items())


def _media_html(reader: SampleReader, views: dict[str, SampleView]) -> list[str]:
    parts = []
    media_pairs = list(zip(*(shown.media_views for shown in views.values()), strict=True))
    for pair in media_pairs[:MAX_IMAGES]:
        media = pair[0]
        if media.text is not None:
            parts.append(_text_html(lambda: tr("Text"), media.text))
        elif media.fault:
            parts.append(f'<p class="note">{_bilingual_texts([one.fault for one in pair])}</p>')
        else:
            parts.append(_image_html(reader, views["en"], media))
    if (left := len(media_pairs) - MAX_IMAGES) > 0:
        parts.append(_note_html(lambda: tr("{count} more media are not shown.", count=left)))
    return parts


def _image_html(reader: SampleReader, shown: SampleView, media: MediaView) -> str:
    try:
        source = thumbnail_uri(load_image(shown.media[media.number], reader.data))
    except MediaError as error:
        why = error
        return _note_html(lambda: str(why))
    # the caption says in both languages what is drawn
    overlay = media.overlay.replace(' role="img" aria-label=', ' aria-hidden="true" data-shapes=', 1)
    caption = f'<p class="note">{_overlay_caption(media)}</p>' if overlay else ""
    name = safe(shown.sample.id if shown.sample is not None else "")
    return f'<div class="picture"><img src="{source}" alt="{name}">{overlay}</div>{caption}'


def _overlay_caption(media: MediaView) -> str:
    parts = []
    for name, layer, words in (
        ("truth", media.truth, lambda: tr("Truth")),
        ("reply", media.reply, lambda: tr("Reply")),
    ):
        if layer is not None:
            number = layer.count
            shapes = bilingual_text(lambda number=number: f"{format_count(number)} {tr('shapes')}")  # type: ignore[misc]
            parts.append(f'<b class="{name}-key">{bilingual_text(words)}</b>: {shapes}')
    return " · ".join(parts)


def _prompt_html(shown: SampleView) -> str:
    """The words of the first prompt."""
    turns = shown.prompts[0] if shown.prompts else ()
    text = "\n\n".join(part.text for part in turns[0] if part.text) if turns else ""
    more = len(turns) - 1
    rest = _note_html(lambda: tr("{count} more turns", count=more)) if more > 0 else ""
    if not text:
        return ""
    body = _text_html(lambda: tr("Prompt"), Clip(text, len(text))) + rest
    if len(text) <= _MAX_UNFOLDED:
        return body
    return f"<details><summary>{bilingual_text(lambda: tr('Prompt'))}</summary>{body}</details>"


def _reply_html(shown: SampleView, row: Row) -> str:
    reply = shown.reply or _stored_text(row, "reply")
    parts = [_text_html(lambda: tr("Reply"), reply)] if reply is not None else []
    if shown.reasoning is not None:
        thinking = _text_html(lambda: tr("Reasoning"), shown.reasoning)
        parts.insert(0, f"<details><summary>{bilingual_text(lambda: tr('Reasoning'))}</summary>{thinking}</details>")
    if len(shown.attempts) > 1 and (replies := shown.attempts[-1].replies):
        number = len(shown.attempts)
        parts.append(_text_html(lambda: tr("Reply of attempt {number}", number=number), replies[-1].text))
    failure = next((tried.failure for tried in shown.attempts if tried.failure is not None), None)
    if failure is not None:
        words = failure.text
        parts.append(_text_html(lambda: tr("Failure"), Clip(words, len(words))))
    if not parts:
        parts.append(_note_html(lambda: tr("No reply was stored for this sample.")))
    return "".join(parts)


def _stored_text(row: Row, name: str) -> Clip | None:
    """A text that the grades keep themselves: files may be scored whose samples could not be asked."""
    text = row.get(name)
    return None if text is None else Clip(str(text), len(str(text)))


def _text_html(words: Callable[[], str], clip: Clip | None) -> str:
    """Untrusted text under its heading, with a note where it is truncated."""
    if clip is None:
        return ""
    if not clip.text.strip():
        return _title_html(words) + _note_html(lambda: tr("empty"))
    text = clip.text[:MAX_LETTERS]
    cut = ""
    if clip.size > len(text):
        facts = {"shown": format_count(len(text)), "size": format_count(clip.size)}
        cut = _note_html(lambda: tr("Truncated: first {shown} of {size} characters.", **facts))
    return f'{_title_html(words)}<pre tabindex="0">{safe(text)}</pre>{cut}'


def _title_html(words: Callable[[], str]) -> str:
    return f'<p class="name">{bilingual_text(words)}</p>'


def _note_html(words: Callable[[], str]) -> str:
    return f'<p class="note">{bilingual_text(words)}</p>'


def _drawings_html(shown: SampleView) -> str:
    made = []
    for drawing in shown.drawings:
        title = bilingual_text(lambda drawing=drawing: format_remark(drawing.title))  # type: ignore[misc]
        image = f'<img src="{drawing_uri(drawing)}" alt="{safe(format_remark(drawing.title))}">' if drawing.svg else ""
        notes = "".join(
            f'<p class="note">{bilingual_text(lambda note=note: format_remark(note))}</p>'  # type: ignore[misc]
            for note in drawing.notes
        )
        made.append(f"<figure><figcaption>{title}</figcaption>{image}{notes}</figure>")
    return f'<div class="drawings">{"".join(made)}</div>' if made else ""


MAX_SIDE = 640
"""Pixels of the longer side."""
MAX_PIXELS = 100_000_000
_MAX_PALETTE = 2048
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")


def thumbnail_uri(picture: LoadedImage) -> str:
    """The picture as a data URI: drawings, which have few colours, as PNG, so that lines stay sharp; photos as JPEG."""
    from PIL import Image

    if picture.width * picture.height > MAX_PIXELS:
        raise MediaError("The image has too many pixels to be shown here.")
    try:
        with Image.open(io.BytesIO(picture.data), formats=_FORMATS) as opened:
            opened.draft("RGB", (MAX_SIDE, MAX_SIDE))
            image = _flatten(opened)
            drawn = image.getcolors(_MAX_PALETTE) is not None
            image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise MediaError("This is not an image that a page can show.") from error
    made = io.BytesIO()
    if drawn:
        image.quantize(64).save(made, "PNG", compress_level=9)
    else:
        image.save(made, "JPEG", quality=80)
    return f"data:image/{'png' if drawn else 'jpeg'};base64,{base64.b64encode(made.getvalue()).decode()}"


def _flatten(image: Image.Image) -> Image.Image:
    """On white, without transparency or palette."""
    from PIL import Image

    if image.mode in ("RGB", "L"):
        return image.copy()
    if image.mode.startswith(("I", "F")):  # sixteen bits and more: scaled to the range of values in the image
        low, high = (float(end) for end in image.getextrema() if not isinstance(end, tuple))
        scale = 255.0 / (high - low) if high > low else 0.0
        return image.point(lambda value: value * scale - low * scale).convert("L")
    whole = image.convert("RGBA")
    page = Image.new("RGB", whole.size, "white")
    page.paste(whole, mask=whole.getchannel("A"))
    return page
