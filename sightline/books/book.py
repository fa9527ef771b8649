"""One task's book: it reads truths and replies, counts them in its tallies, and yields the task's figures."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.books.bounds import with_bounds, with_states
from sightline.books.lookup import find_figure, find_parser, tally_types
from sightline.books.plain import PluginError, UnfitError, estimated, is_own, marks
from sightline.books.rows import EMPTY, FAILED, INVALID, MISSING, OK, STATES, UNPARSED, Graded, TaskRows
from sightline.columns import Batch, Read, TextColumn
from sightline.contracts import Reading, Task
from sightline.metrics.tally import Breakdown, Figure, Plan, Survey, Tally
from sightline.parsing.column import ColumnParser
from sightline.records import Estimate
from sightline.stats.controls import Control
from sightline.stats.weights import WeightRange, fixed_weights

_EMPTY_OUTPUT = "empty output"
UNKNOWN_SIZE = "the picture's size is unknown, so coordinates can't be converted"
_BAD_TRUTH = "bad gt: "


class Finding(Struct, frozen=True):
    """One figure of a task, beside the best constant answer where there is one."""

    figure: Figure
    estimate: Estimate
    control: Control | None


class TaskBook:
    """Takes batches; two books over different samples merge into the book over both.

    Where a tally needs to know all truths first, they are shown by `survey` before the first `grade`.
    """

    def __init__(self, task: Task, reading: Reading, auxiliary: bool = True) -> None:
        self.task, self.reading = task, reading
        chosen = (*task.metrics, *(task.auxiliary if auxiliary else ()))
        self.figures: list[Figure] = [find_figure(name) for name in dict.fromkeys(chosen)]
        self.parser = _told(find_parser(task.parser), labels=reading.labels, task=task.name)
        self._reply_parser = self.parser
        self._types = tally_types(task, self.parser, self.figures)
        self.surveys: list[Survey | None] = [
            kind.survey_type() if kind.survey_type is not None else None for kind in self._types
        ]
        """What is known of all truths, by tally."""
        self._tallies: list[Tally] = []
        self.states: Counter[str] = Counter()
        self.masses: Counter[str] = Counter()
        """The samples of each state by their weights, as `fixed_weights` has them."""
        self.weights = WeightRange()
        self.mis_scaled = 0
        self.is_torn = False
        """A batch was counted in part only: what the tallies hold is of no use."""

    def expect(self) -> None:
        """Samples will come."""
        for kind in self._types:
            kind.expect(frozenset(figure.name for figure in self.figures))

    @property
    def has_coordinates(self) -> bool:
        """Whether what it reads are shapes in the picture."""
        return self.parser.kind in ("shapes", "polygons")

    @property
    def needs_survey(self) -> bool:
        """Whether all truths must be seen first."""
        return any(survey is not None for survey in self.surveys)

    def survey(self, truth: TextColumn, key: int) -> None:
        """See the truths of the batch number `key`."""
        read = self.parser.read(truth)
        sound = read.values.take(np.flatnonzero(read.errors == 0))
        for survey in self.surveys:
            if survey is not None:
                survey.add(sound, key)

    def merge_survey(self, other: TaskBook) -> None:
        """See all that `other` has seen of the truths."""
        for mine, theirs in zip(self.surveys, other.surveys, strict=True):
            if mine is not None and theirs is not None:
                mine.merge(theirs)

    def fresh(self) -> TaskBook:
        """An empty book for the same task with the same survey, for another worker."""
        made = TaskBook.__new__(TaskBook)
        made.__dict__.update(self.__dict__)
        made._tallies, made.states, made.mis_scaled, made.is_torn = [], Counter(), 0, False
        made.masses, made.weights = Counter(), WeightRange()
        return made

    def _open(self) -> list[Tally]:
        """The tallies, made when the survey is over."""
        if not self._tallies:
            self._reply_parser = _told(self.parser, allowed=_classes(self.surveys))
            wanted = frozenset(figure.name for figure in self.figures)
            space = self.reading.truth_coords
            declared = {} if space == "pixels" else {"space": space}  # pixels are the default, said by nobody
            options = {**declared, **self.task.options}
            self._tallies = [
                kind(Plan(wanted=wanted, options=options, parser=self.parser, survey=survey))
                for kind, survey in zip(self._types, self.surveys, strict=True)
            ]
        return self._tallies

    def grade(self, rows: TaskRows) -> Graded:
        """Count a batch in, and say what became of each sample.

        Where code of the user's own fails, it raises and has counted nothing.
        """
        self._open()
        truth, reply = self.parser.read(rows.truth), self._reply_parser.read(rows.reply)
        truth_values, reply_values, unknown_size = self._in_one_space(truth, reply, rows)
        states, notes, reasons = _verdicts(truth, reply, rows, unknown_size)
        is_counted = (states != INVALID) & (states != FAILED)
        sound = np.flatnonzero(is_counted)
        whole = len(sound) == len(rows)
        batch = Batch(
            truth=truth_values if whole else truth_values.take(sound),
            reply=reply_values if whole else reply_values.take(sound),
            answered=states[sound] == OK,
            clusters=rows.clusters[sound],
            key=rows.key,
            weights=None if rows.weights is None else rows.weights[sound],
        )
        off_scale = self._off_scale(truth_values, reply_values, rows) & is_counted
        was_torn = self.is_torn
        values = self._count(batch)
        values = values if whole else {name: _spread(column, sound, len(rows)) for name, column in values.items()}
        scores = np.nan_to_num(values.pop("score")) if values else np.zeros(len(rows))
        self.mis_scaled += int(off_scale.sum())
        self._count_states(states, rows.weights)
        self.is_torn = was_torn
        return Graded(states=states, scores=scores, values=values, notes=notes, reasons=reasons, mis_scaled=off_scale)

    def count_invalid(self, weight: float = 1.0) -> None:
        """Count a sample that could not be asked because its data are at fault."""
        self._count_states(np.array([INVALID], np.uint8), np.array([weight]))

    def _count_states(self, states: NDArray[np.uint8], weights: NDArray[np.float64] | None) -> None:
        mass = fixed_weights(np.ones(len(states)) if weights is None else weights)
        self.weights.add(weights if weights is None else weights[states != INVALID])
        for place, count in enumerate(np.bincount(states, minlength=len(STATES)).tolist()):
            if count:
                self.states[STATES[place]] += count
                self.masses[STATES[place]] += int(mass[states == place].sum())

    def _count(self, batch: Batch) -> dict[str, NDArray[Any]]:
        """What every tally makes of a batch."""
        # the user's own count beside the books first: where they fail, the books are as they were
        parts = [type(tally)(tally.plan) if is_own(type(tally)) else None for tally in self._tallies]
        own = [{} if part is None else self._count_own(part, batch) for part in parts]
        values: dict[str, NDArray[Any]] = {}
        self.is_torn = True
        for tally, part, counted in zip(self._tallies, parts, own, strict=True):
            if part is None:
                values = {**tally.add(batch), **values}  # the first tally's score is the sample's
            else:
                tally.merge(part)
                part.close()
                values = {**counted, **values}
        return values

    def _count_own(self, part: Tally, batch: Batch) -> dict[str, NDArray[Any]]:
        try:
            values = part.add(batch)
            marks(values["score"])
        except UnfitError as error:
            raise PluginError(
                "The metric '{metric}' of the task '{task}' returned {value}, not a number from 0 to 1.",
                metric=", ".join(figure.name for figure in self.figures if figure.tally is type(part)),
                task=self.task.name,
                value=error.shown,
            ) from None
        return values

    def _in_one_space(self, truth: Read, reply: Read, rows: TaskRows) -> tuple[Any, Any, NDArray[np.bool_]]:
        """Replies brought into the truths' coordinate space, and where that was impossible."""
        known = np.zeros(len(rows), bool)
        spaces = self.reading.coords, self.reading.truth_coords
        if not self.has_coordinates or spaces[0] == spaces[1]:
            return truth.values, reply.values, known
        from sightline.parsing.columns.spaces import factors

        scale = factors(*spaces, rows.sizes)
        if scale is None:
            return truth.values, reply.values, ~known
        unknown = ~np.isfinite(scale).all(axis=1)
        each = np.broadcast_to(np.where(np.isfinite(scale), scale, 1.0), (len(rows), 2))
        return truth.values, reply.values.scaled(each), np.broadcast_to(unknown, (len(rows),))

    def _off_scale(self, truth: Any, reply: Any, rows: TaskRows) -> NDArray[np.bool_]:
        if not self.has_coordinates:
            return np.zeros(len(rows), bool)
        from sightline.parsing.columns.spaces import mis_scaled

        return mis_scaled(reply, self.reading.truth_coords, rows.sizes, truth)

    @property
    def tallies(self) -> list[Tally]:
        """What the figures are read from, the one that scores samples first."""
        return self._open()

    def merge(self, other: TaskBook) -> None:
        """Take all that `other` has counted."""
        for mine, theirs in zip(self._open(), other._open(), strict=True):
            mine.merge(theirs)
        self.states += other.states
        self.masses += other.masses
        self.weights.merge(other.weights)
        self.mis_scaled += other.mis_scaled

    def findings(self) -> list[Finding]:
        """Every figure of the task, core ones first."""
        tallies = self._open()
        found = []
        for figure in self.figures:
            tally = next((one for one in tallies if isinstance(one, figure.tally)), tallies[0])
            # a constant answer's control is one of accuracy
            controlled = figure.name == "accuracy" == self.task.metrics[0]
            read = estimated(figure.read, tally) if is_own(figure.tally) else figure.read(tally)
            estimate = self._bounded(figure, read)
            found.append(Finding(figure, estimate, tally.control() if controlled else None))
        return found

    def _bounded(self, figure: Figure, estimate: Estimate) -> Estimate:
        """With the samples that could not be read or graded beside it."""
        told = with_states(estimate, self.states)
        return with_bounds(told, self.masses) if figure.is_mean else told

    def unweighted(self) -> list[Figure]:
        """Figures that count every sample once although weights differ."""
        if self.weights.is_even:
            return []
        return [figure for figure in self.figures if figure.tally is not Tally and not figure.tally.takes_weights]

    def breakdowns(self) -> list[Breakdown]:
        """Tables beside the figures."""
        return [table for tally in self._open() for table in tally.breakdowns()]

    def remarks(self) -> Counter[str]:
        """What was counted on the way."""
        told: Counter[str] = Counter()
        for tally in self._open():
            told.update(tally.remarks())
        if self.mis_scaled:
            told["shapes far out of range: another coordinate space was probably meant"] += self.mis_scaled
        return told

    @property
    def scores(self) -> Any:
        """Sums of the samples' own scores by cluster."""
        return self._open()[0].scores

    def close(self) -> None:
        """Let processes go."""
        for tally in self._tallies:
            tally.close()


def _told(parser: ColumnParser, **wishes: Any) -> ColumnParser:
    """The parser with what it understands of the wishes (`labels` → its `mapping`)."""
    fields = set(type(parser).__struct_fields__)
    known = {"mapping" if key == "labels" else key: value for key, value in wishes.items() if value}
    mine = {key: value for key, value in known.items() if key in fields}
    return replace(parser, **mine) if mine else parser


def _classes(surveys: list[Survey | None]) -> frozenset[str]:
    """The labels that truths have, where a survey has collected them."""
    return frozenset(name for survey in surveys for name in getattr(survey, "names", {}).values())


def _verdicts(
    truth: Read, reply: Read, rows: TaskRows, unknown_size: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], tuple[str, ...]]:
    """State and reason of every sample."""
    replied, endings = rows.replied, rows.endings
    reasons = ["", MISSING, *reply.reasons[1:], *(_BAD_TRUTH + why for why in truth.reasons[1:]), UNKNOWN_SIZE]
    notes = np.where(reply.errors > 0, reply.errors.astype(np.int64) + 1, 0)
    empty = reply.errors == (reply.reasons.index(_EMPTY_OUTPUT) if _EMPTY_OUTPUT in reply.reasons else 255)
    states = np.where(reply.errors > 0, np.where(empty, EMPTY, UNPARSED), OK).astype(np.uint8)
    states[~replied], notes[~replied] = EMPTY, 1
    if endings is not None:
        states[endings != OK] = endings[endings != OK]
        failed = np.flatnonzero(endings == FAILED)
        for row in failed.tolist() if rows.messages else ():
            notes[row] = len(reasons)
            reasons.append(rows.messages[row])
    bad = truth.errors > 0
    states[bad | unknown_size] = INVALID
    notes[unknown_size] = reasons.index(UNKNOWN_SIZE)
    notes[bad] = truth.errors[bad].astype(np.int64) + len(reply.reasons)
    return states, notes, tuple(reasons)


def _spread(column: NDArray[Any], rows: NDArray[np.int64], length: int) -> NDArray[Any]:
    """A column of some of the rows as one of all of them."""
    spread = np.full(length, np.nan) if column.dtype.kind != "O" else np.full(length, None, dtype=object)
    spread[rows] = column
    return spread
