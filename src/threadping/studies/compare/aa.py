"""The A/A test of a machine: how often a thing was said to differ from itself, and which planted shifts were seen."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.model.studies import Comparing
from threadping.quantities import TO, counted, duration, percent
from threadping.rows.coverage import left_out, with_coverage
from threadping.rows.findings import unusable
from threadping.rows.heading import next_commands, to_resume, where
from threadping.sheets import names
from threadping.sheets.entries import case_fields
from threadping.sheets.fields import Ends, Field, Sheet, attribute
from threadping.sheets.grid import Block, Lead, grid_of, together
from threadping.studies.compare.power import AATest, share_of
from threadping.studies.compare.words import percentage


def sheet(answer: Answer, of: Comparing, found: Sequence[AATest]) -> Sheet[AATest]:
    """A line for each case."""
    shifts = dict.fromkeys(shift for one in found for shift in one.power.seen)
    fields: tuple[Field[AATest], ...] = (
        Field(head="case", of=lambda one: names.plain(one.case.title), names=True),
        *case_fields(lambda one: one.case, lambda one: answer.declared[one.case.experiment]),
        attribute("power.comparisons", "", int, head="comparisons"),
        Field(head="blocks", key="blocks", type=int, of=lambda one: one.power.blocks[1], rank=2, means="At most."),
        attribute("seconds", "What one comparison took.", float, head="each", show=duration),
        attribute("power.false_alarms", "How many said that it differs from itself.", int, head="false alarms"),
        attribute("power.alarms_up_to", UP_TO, float, key="false_alarms_up_to"),
        *(field for shift in shifts for field in _seen(shift)),
    )
    return Sheet("aa_tests", fields, found)


UP_TO = "The share of false alarms that so many comparisons do not exclude."


def _seen(shift: float) -> Iterator[Field[AATest]]:
    """In what share of comparisons a planted shift was seen, and between what that lies."""

    def written(one: AATest) -> str:
        low, high = one.power.seen_from_to[shift]
        return f"{one.power.seen[shift]:.0%} ({100 * low:.0f}{TO}{100 * high:.0f})"

    key = f"seen.{percentage(shift)}"
    yield Field(head=f"+{percentage(shift)}", key=key, type=float, of=lambda one: one.power.seen[shift], write=written)
    yield Field(key=f"{key}_ci90", type=Ends, of=lambda one: one.power.seen_from_to[shift])


def verdict(answer: Answer, _of: Comparing, found: Sequence[AATest]) -> Lead:
    """How many comparisons said that a thing differs from itself."""
    if not found:
        return Lead("cannot tell: no comparison had room, or other programs ran next to all", "yellow")
    alarms, made = _counts(found)
    said = f"{alarms} of {counted(made, 'comparison')} said that a thing differs from itself; 1 in 100 may"
    return Lead(with_coverage(answer, said))


def _counts(found: Sequence[AATest]) -> tuple[int, int]:
    """The false alarms, and the comparisons."""
    return sum(one.power.false_alarms for one in found), sum(one.power.comparisons for one in found)


@together
def blocks(answer: Answer, of: Comparing, found: Sequence[AATest]) -> Iterator[Block]:
    """Show how often each case was said to differ from itself, and which planted shifts were seen."""
    yield from unusable(answer)
    yield from (verdict(answer, of, found), Text(), where(answer.run))
    if found:
        most = percent(share_of(*_counts(found))[1])
        yield Text(f"So many comparisons exclude no more than {most} of false alarms.", "dim")
        yield from (Text(), grid_of(sheet(answer, of, found)))
    if any(one.power.seen for one in found):
        margin = percentage(of.margin)
        yield Text(
            "+1% and so on: how often a B that is slower by so much would have been told from A in one of them; in "
            f"parentheses between what that lies, of all such comparisons. A gate at {margin} fails a B that is slower "
            f"by {margin} and so much as often.",
            "dim",
        )
    yield from left_out(answer)
    yield from next_commands(to_resume(answer.run))
