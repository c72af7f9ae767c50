"""Is B slower than A? The cases of both sides, and the study that measures them in blocks until that is decided."""

import re
import shlex
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import metric
from threadping.analysis.runs import beside_each_other, host_changes
from threadping.conduct import presenting, stored, study
from threadping.conduct.environment import PACES, Environment, budget_of, prepared_run, warm_starts
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import DIMENSIONS, Busy, Case, Skipped, differing, read_all
from threadping.model.errors import NothingToMeasure, ProbeUnusable, UnknownName, UsageError
from threadping.model.quantities import counted
from threadping.model.run import Comparing, Premises, Run, is_same
from threadping.model.text import made_literal, shell_words
from threadping.options.measuring import RUN_SUBJECTS
from threadping.output import layout, listings, records
from threadping.output.heading import coverage_entry, where
from threadping.output.names import plain
from threadping.output.run_records import run_entry, side_by_side_sheet
from threadping.planning.cases import expand
from threadping.planning.plan import plan_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Inventory, Selection, closest, places
from threadping.probes.builds import read_mechanisms
from threadping.probes.placements import PLACEMENT_NAMES, UNPINNED
from threadping.probes.runtimes import Described
from threadping.store.store import open_store
from threadping.studies.compare import output as sheets
from threadping.studies.compare import power, verdict
from threadping.studies.compare.blocks import BlockPlan, BlockSchedule, TrialBlock, looks, make_blocks

OPTIONS = {one.name: one.plural for one in DIMENSIONS if one.plural} | {"pairs": "pairs"}
"""Options that may carry two values, and their fields of a selection; parameters may carry two as well."""

BOTH_NAMED = "runtime and mechanism"  # differ where each side is named whole: `--a 'java-17 monitor' --b 'cpp mutex'`

EXAMPLE = "mutex,ticket-lock"
EXAMPLES = "--runtime java-17,java-25, --mechanism cas-one-line,release-one-line, or --wait spin --wait pause"


class Sides(Struct, frozen=True):
    """The difference between A and B, and the value of each.

    `what` is an option's name, or a parameter's; empty if a thing is compared with itself.
    """

    what: str
    a: str
    b: str

    @property
    def titles(self) -> tuple[str, str]:
        """A and B for a person: `idle` and `2 busy threads` for 0 and 2, `1 thread` for 1; others as given."""
        match self.what:
            case "busy":
                return Busy(int(self.a)).title, Busy(int(self.b)).title
            case "threads" | "pairs":
                return counted(int(self.a), self.what[:-1]), counted(int(self.b), self.what[:-1])
        return self.a, self.b


class Pairs(Struct, frozen=True):
    """A and B of each comparison, the most wanted first, and the skipped cases with the reason."""

    found: tuple[tuple[Case, Case], ...]
    skipped: tuple[Skipped, ...]


def sides(selection: Selection, named: Sequence[str] = ()) -> Sides:
    """Return the two values of the one option that has two: of mechanisms if two were `named` as A and B.

    Raises:
        UsageError: none has, or several have.
    """
    given = {name: tuple(map(str, getattr(selection, field))) for name, field in OPTIONS.items()}
    given |= selection.params
    two = {name: values for name, values in given.items() if len(values) == 2}
    if len(named) == 2 and "mechanism" in two:
        two = {"mechanism": two["mechanism"]}
    if len(two) > 1:
        several = " and ".join(f"--{name} {','.join(values)}" for name, values in two.items())
        raise UsageError(f"A and B are the two values of one option, but {several} both have two. Give one only one.")
    if not two:
        more = next((f"--{name} has {len(values)} values" for name, values in given.items() if len(values) > 2), "")
        why = f"{more}, and no option has" if more else "no option has"
        raise UsageError(
            f"A and B are the two values of one option, but {why} two different ones. Write {EXAMPLES}; or compare a "
            "thing with itself: --self."
        )
    ((what, (a, b)),) = two.items()
    return Sides(what, a, b)


def two_named(selection: Selection, a: str | None, b: str | None) -> tuple[Selection, Sides]:
    """Return the sides of `--a` and `--b`: a runtime and a mechanism each, which may be custom.

    Raises:
        UsageError: one is missing, or is not two words; or the selection names some too.
    """
    if selection.runtimes or selection.mechanisms:
        raise UsageError("--a and --b name a runtime and a mechanism each: leave --runtime and --mechanism out.")
    words = [shell_words(f"--{side}", one or "") for side, one in zip("ab", (a, b), strict=True)]
    if not all(len(of) > 1 for of in words):
        raise UsageError("--a and --b are a runtime and a mechanism each: --a 'java-17 monitor' --b 'cpp mutex'.")
    runtimes = [shlex.join(of[:-1]) for of in words]
    names, own = read_mechanisms([of[-1] for of in words])
    of_a, of_b = (f"{runtime} {name}" for runtime, name in zip(runtimes, (names[0], names[-1]), strict=True))
    named = replace(selection, runtimes=tuple(dict.fromkeys(runtimes)), mechanisms=names, own=own)
    return named, Sides(BOTH_NAMED, of_a, of_b)


def pairs_of(sides: Sides, selection: Selection, here: Inventory, of: Sequence[Sequence[Described]]) -> Pairs:
    """Return the cases of A, each with the case of B that differs in nothing else.

    Where no placement is named it is the closest one; numbers of threads likewise are the first of the defaults. `of`
    has the runtimes of A, and those of B.

    Raises:
        UsageError: a name is unknown, the sides are the same, or nothing is left to compare.
    """
    of_sides: list[dict[object, Case]] = []
    skipped = list(here.missing)
    for place, (value, alone) in enumerate(zip((sides.a, sides.b), of, strict=True)):
        cases = expand(_only(selection, sides.what, place), replace(here, described=alone, missing=()))
        usual = _usual(cases.every, selection, here)
        named = list(dict.fromkeys(case.mechanism for case in usual))
        if sides.what == "mechanism" and len(named) > 1:
            raise UsageError(f"'{value}' is {' and '.join(named)}: name one of them as a side.")
        keyed: dict[object, Case] = {}
        for case in usual:
            keyed.setdefault(_all_but(case, sides.what, selection, here), case)
        of_sides.append(keyed)
        skipped += (one for one in cases.skipped if one.what not in PLACEMENT_NAMES or selection.placements)
    a, b = of_sides
    found = tuple((a[key], b[key]) for key in a if key in b)
    unpinned = any(side and {case.placement.name for case in side.values()} == {UNPINNED} for side in of_sides)
    if not found and unpinned and not (selection.placements or selection.cpus):
        return pairs_of(sides, replace(selection, placements=(UNPINNED,)), here, of)
    if sides.what and any(one == other for one, other in found):
        raise UsageError(f"A and B are the same here: {found[0][0].title}. Compare two things, or one with --self.")
    alone_here = [
        Skipped(case.title, f"only {name} has it")
        for name, mine, others in ((sides.a, a, b), (sides.b, b, a))
        for key, case in mine.items()
        if key not in others
    ]
    if not found:
        listed = "; ".join(f"{one.what}: {one.reason}" for one in (*alone_here[:4], *skipped[:4]))
        raise NothingToMeasure(f"{sides.a} and {sides.b} have nothing in common that could be compared. {listed}.")
    return Pairs(found, (*dict.fromkeys(skipped), *alone_here))


def _only(selection: Selection, what: str, place: int) -> Selection:
    """Return the selection with one of the two values: the first for A, the last for B."""
    if not what or what == "runtime":  # their cases differ by the runtimes that are described
        return selection
    what = "mechanism" if what == BOTH_NAMED else what
    if field := OPTIONS.get(what):
        return replace(selection, **{field: (getattr(selection, field)[-place],)})
    return replace(selection, params={**selection.params, what: (selection.params[what][-place],)})


def _usual(cases: Iterable[Case], selection: Selection, here: Inventory) -> Sequence[Case]:
    """Return the cases without other parameters than were named, at the closest placement unless one was named."""
    first = {name: places(here.topology, selection, here.case_defaults[name]).first for name in selection.experiments}
    numbered = [case for case in cases if selection.cpus or case.threads in first[case.experiment]]
    meant = [case for case in numbered if selection.params or not case.varied]
    if selection.placements or selection.cpus:
        return meant
    return closest(meant, lambda case: _all_but(case, "placement", selection, here))


def _all_but(case: Case, what: str, selection: Selection, here: Inventory) -> Hashable:
    """Return the key by which a case of A finds its like in B: all but what differs, and what follows from that."""
    differs = differing("threads" if what in here.case_defaults[case.experiment].by_role else what)
    params = tuple((name, case.params.get(name)) for name in selection.params if name != what)
    # Other numbers of threads run on other CPUs; a single thread has no neighbour.
    return params, what == "placement" or case.placement.name == UNPINNED, *read_all(case, *differs)


def making_alike(pairs: Pairs, here: Inventory, selection: Selection) -> Selection | None:
    """Return the selection with the JVM options without which A and B do different work; None where none is missing."""
    on_jvm = {one.runtime.label for one in here.described if one.runtime.probe == "java"}
    options = {
        option: EXPERIMENTS[a.experiment].jvm_options[option][0]
        for a, b in pairs.found
        if {a.runtime, b.runtime} & on_jvm and (option := EXPERIMENTS[a.experiment].makes_alike(a, b))
    }
    missing = {name: flags for name, flags in options.items() if name not in selection.jvm_flags}
    return replace(selection, jvm_flags={**selection.jvm_flags, **missing}) if missing else None


def having(pairs: Pairs, asked: str) -> Pairs:
    """Return the pairs that have the figure which is asked for; raise UsageError if none has."""
    found, without = [], []
    for a, b in pairs.found:
        if isinstance(why := verdict.metric_of_pair(asked, declared(), (a, b)), str):
            without.append(Skipped(f"{a.experiment} {a.title}", why.rstrip(".")))
        else:
            found.append((a, b))
    if not found:
        raise UsageError(f"Nothing here can be compared by --metric {asked}. {without[0].reason}.")
    return Pairs(tuple(found), (*pairs.skipped, *without))


# ---- the study ----

ITSELF = Sides("", "", "")
"""Each case against itself, as often as the budget allows; `cas-one-line` in C++ unless others are selected."""

DEFAULT_MARGIN = 0.03


class CompareQuestion(Struct, frozen=True, kw_only=True):
    """The question of a comparison; None is a stored run's own, or else the default."""

    selection: Selection | None = None  # the cases to measure; None for a stored run
    sides: Sides = ITSELF  # the difference between A and B
    metric: str | None = None  # the compared figure; by default the headline
    margin: float | None = None  # a difference that does not matter, as a share; by default DEFAULT_MARGIN
    fail_above: float | None = None  # B is too slow if it is significantly slower by more; by default the margin


class CompareResult(Struct, frozen=True):
    """The comparisons of a run; of a thing and itself, where `of.what` is empty, its A/A tests."""

    of: Comparing
    found: Sequence[Any]


class CompareStudy(study.Study[CompareQuestion, CompareResult]):
    """B against A, in blocks of two trials of each in random order."""

    def ask(self, **options: Any) -> CompareQuestion:
        """Return the question of a subject: two `named` mechanisms, or as the options say."""
        subject, named, itself, a, b = map(options.pop, ("subject", "named", "itself", "a", "b"))
        how = {name: options.pop(name) for name in ("metric", "margin", "fail_above")}
        if named:
            options["mechanisms"], options["own"] = read_mechanisms((*named, *options["mechanisms"]))
        selection = Selection(experiments=(subject,), **options)
        if itself and subject == "signal" and not (selection.mechanisms or selection.params or selection.runtimes):
            selection = replace(selection, mechanisms=("cas-one-line",), runtimes=("cpp",))
        if itself and (a or b):
            raise UsageError("--self compares a thing with itself: leave --a and --b out.")
        of_sides = ITSELF
        if a or b:
            selection, of_sides = two_named(selection, a, b)
        elif not itself:
            of_sides = sides(selection, named or ())
        return CompareQuestion(selection=selection, sides=of_sides, **how)

    def prepare(self, asked: CompareQuestion, environment: Environment) -> study.PreparedRun:
        selection, of_sides = asked.selection, asked.sides
        assert selection is not None
        wanted = environment.runtimes_of(selection)
        by_runtime = of_sides.what in ("runtime", BOTH_NAMED)
        if by_runtime:
            for text in selection.runtimes:  # the first that is wanted is A's, and the last B's
                if len(named := environment.found.select((text,))) != 1:
                    many = f"'{text}' is {len(named)} runtimes: {', '.join(one.label for one in named)}."
                    raise UsageError(f"{many} Name one runtime for each of A and B.")
            if of_sides.what == "runtime" and len(wanted) == 1:
                raise UsageError(
                    f"A and B are two runtimes, but both are {wanted[0].label}. Name one runtime for each."
                )
        here = environment.inventory(wanted, usual=not selection.runtimes, cpus=selection.cpus)
        if by_runtime and here.missing:
            raise ProbeUnusable(here.missing[0].reason)
        name = asked.metric or "headline"
        of_each = (here.described[:1], here.described[-1:]) if by_runtime else (here.described, here.described)
        pairs = having(pairs_of(of_sides, selection, here, of_each), name)
        if alike := making_alike(pairs, here, selection):
            begun = self.prepare(replace(asked, selection=alike), environment)
            return replace(begun, run=replace(begun.run, note=MADE_ALIKE))
        here = here.only(case for pair in pairs.found for case in pair)
        budget = budget_of(selection, warm_starts(here.described), here.spent_s)
        metrics = (metric(name, EXPERIMENTS[a.experiment].figures, a, b) for a, b in pairs.found)
        samples = max(one.samples for one in metrics if one)
        axes, settling = selection.named_axes, of_sides != ITSELF
        plan = make_blocks(pairs.found, budget, named=axes, samples=samples, settling=settling)
        a, b = of_sides.titles
        if by_runtime:
            mechanisms = selection.mechanisms if of_sides.what == BOTH_NAMED else ("",)
            a, b = (f"{of[0].runtime.label} {mechanisms[-at]}".rstrip() for at, of in enumerate(of_each))
        of = Comparing(of_sides.what, a, b, plan.pairs, name, asked.margin or DEFAULT_MARGIN)
        how: dict[str, Any] = {"skipped": pairs.skipped, "fail_above": asked.fail_above}
        how["state"] = selection.state and selection.state.text
        each = f"A is {of.a}, B is {of.b}" if of.what else "each with itself"
        blocks = f": {plain(each)}, in blocks of two trials of each in random order, at most "
        part = f"at least {plan.first} of " if plan.first < len(of.pairs) else ""
        said = listings.announced(f"Comparing {part}{counted(len(of.pairs), 'case')}", blocks, plan.budget_s)
        return prepared_run(of, plan.plan, budget.starts, here, plan.budget_s, said, **how)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return schedule_blocks(run, premises, study.question_of(run, Comparing))

    def read(self, answer: Answer, asked: Any) -> CompareResult:
        run, asked = answer.run, asked if isinstance(asked, CompareQuestion) else CompareQuestion()
        of = study.question_of(run, Comparing)
        of = replace(of, metric=asked.metric or of.metric, margin=asked.margin or of.margin)
        if not of.what:
            return CompareResult(of, power.aa_tests(answer, of))
        limit = run.premises.fail_above if run.premises and asked.fail_above is None else asked.fail_above
        every = zip(of.pairs, verdict.compared(answer, of, limit), strict=True)
        in_order = [one for _, one in sorted(every, key=itemgetter(0))]  # of the question
        tried = {one.case for one in answer.observations}
        found = [one for one in in_order if not tried.isdisjoint((one.a, one.b))] or in_order
        if asked.metric and all("metric-absent" in one.test.reasons for one in found):
            raise UsageError(f"Run {run.id} has no {of.metric}: {verdict.REASONS['metric-absent']}.")
        return CompareResult(of, found)

    def blocks(self, answer: Answer, result: CompareResult) -> Iterable[layout.Block]:
        yield _words_of(result.of).blocks(answer, result.of, result.found)

    def lead(self, answer: Answer) -> Iterable[layout.Block]:
        result = self.read(answer, None)
        yield _words_of(result.of).verdict(answer, result.of, result.found)
        yield layout.Flow(sheets.sides(result.of))

    def sheets(self, answer: Answer, result: CompareResult) -> Sequence[layout.Sheet[Any]]:
        return [_words_of(result.of).sheet(answer, result.of, result.found)]

    def facts(self, answer: Answer, result: CompareResult) -> Mapping[str, Any]:
        of = result.of
        said = _words_of(of).verdict(answer, of, result.found).text
        facts = {"verdict": said, "what": of.what, "a": of.a, "b": of.b, "margin": of.margin}
        return {**facts, "coverage": coverage_entry(answer)}

    def charts(self, answer: Answer, result: CompareResult) -> Sequence[layout.Chart]:
        return [sheets.ratio_chart(answer, result.of, result.found)] if result.of.what else ()

    def sections(self, answer: Answer) -> Iterable[layout.Section]:
        if isinstance(answer.run.study, Comparing) and answer.run.study.what:
            result = self.read(answer, None)
            charts = self.charts(answer, result) if any(one.test.decides for one in result.found) else ()
            table = sheets.ratio_table(self.sheets(answer, result)[0], result.of.margin)
            yield layout.Section("compare", "B against A", charts, [table], place=0, digest=True)

    def exit_code(self, result: CompareResult, output: presenting.Output) -> int:
        return verdict.gate((one.test for one in result.found), strict=output.strict) if result.of.what else 0


STUDY = CompareStudy()


def readers(answer: Answer) -> Iterator[Callable[[], layout.Block]]:
    if common := beside_each_other(answer, answer):
        history = sheets.among(answer, [answer])
        yield lambda: records.as_json(side_by_side_sheet(common, "AB"))
        yield lambda: records.as_json(sheets.history_sheet(answer, history))
        yield lambda: sheets.history_blocks(answer, [answer], history)


def schedule_blocks(run: Run, premises: Premises, of: Comparing) -> BlockSchedule:
    """Return the schedule of a comparison: until each case is decided; without end for a thing and itself."""
    plan = plan_of(run, premises, PACES)
    rules = verdict.Rules(of.margin, looks(plan.rounds), premises.fail_above)
    metrics = verdict.metrics_of(run, of, declared())

    def settles(pair: int, blocks: Sequence[TrialBlock]) -> bool:
        measured = verdict.PairBlocks(blocks, metrics[pair].higher_is_better)
        return verdict.compare(measured, rules, len(of.pairs)).is_settled

    wanted = BlockPlan(plan, of.pairs, bool(of.what), run.budget_s)
    return BlockSchedule(wanted, lambda pair, trial: metrics[pair].of_trial(trial), settles)


MADE_ALIKE = (
    "Every JVM ran with --no-coarsening: without it HotSpot merges neighbouring synchronized blocks, and A and B do "
    "different work."
)


def _words_of(of: Comparing) -> ModuleType:  # with the verdict, sheet and blocks of what it compares
    return sheets if of.what else power


NOT_TESTED = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both A "
    "and B measures them interleaved."
)


def compare_runs(what: Sequence[str], across: bool, nights: int | None, **options: Any) -> int:
    """Show a stored comparison, lay two runs side by side, or rank a run among those before it; the exit code."""
    output = presenting.pop_fields(presenting.Output, options)
    runs = numbers_of(what)
    how = {**options, "strict": output.strict and len(runs) == 2}
    interleaved, tested = not nights and len(runs) < 2, f"one comparison, such as `threadping compare lock {EXAMPLE}`"
    for option, given, used, of in (
        *((f"--{name.replace('_', '-')}", given, interleaved, tested) for name, given in how.items()),
        ("--across-machines", across, len(runs) == 2, "two runs, such as `threadping compare 1 2`"),
    ):
        if given and not used:
            raise UsageError(f"{option} applies only to {of}.")
    if nights:
        return _history(runs[0] if runs else "last", nights, output)
    if len(runs) == 2:
        return _side_by_side(runs, output, across=across)
    if not runs:
        raise UsageError(f"Name a subject with two mechanisms, or a run: `threadping compare lock {EXAMPLE}`.")
    answer = stored.stored_answer(output.location, runs[0])
    if not isinstance(answer.run.study, Comparing):
        raise UsageError(
            f"Run {answer.run.id} is not a comparison. `threadping show {answer.run.id}` shows it; `threadping compare "
            f"{answer.run.id} OTHER` prints two runs side by side."
        )
    return study.show(STUDY, answer, CompareQuestion(**options), output)


def numbers_of(what: Sequence[str]) -> Sequence[str]:
    """Return the runs that are named, by numbers or `last`; raise UsageError for more than two, and for other words."""
    for name in what:
        if "/" in name:
            raise UsageError(
                f"'{name}' is a path. Compare probes as runtimes: --runtime cpp=OLD --runtime cpp=NEW; compare the "
                "runs of a report by their numbers, after `threadping runs import`."
            )
        if not re.fullmatch(r"\d+|last|latest", name):
            raise UnknownName("subject", name, list(RUN_SUBJECTS), note=", and not the number of a run")
    if len(what) > 2:
        raise UsageError(f"compare takes one or two runs; `threadping report {' '.join(what)}` takes more.")
    return what


def _side_by_side(which: Sequence[str], output: presenting.Output, *, across: bool) -> int:
    """Print two stored runs side by side, by case and state; nothing is tested."""
    with open_store(output.location, create=False) as store:
        one, other = (stored.answered(store, name) for name in which)
    if one.run.id == other.run.id:
        raise UsageError(f"Run {one.run.id} is named twice. Name two runs.")
    machines = one.run.machine, other.run.machine
    if not (across or is_same(*machines)):
        of = (", ".join(filter(None, (one.cpu_model, one.kernel, one.hypervisor))) for one in machines)
        raise UsageError(
            f"Runs {one.run.id} and {other.run.id} are of different machines ({'; '.join(of)}). --across-machines "
            "prints them side by side nevertheless."
        )
    common, changes = beside_each_other(one, other), stored.changes_between((one, other))
    if not common:
        none = f"Runs {one.run.id} and {other.run.id} have no case in common that was in the same state."
        raise UsageError(" ".join([none, *changes]))
    sheet = side_by_side_sheet(common, [f"run {answer.run.id}" for answer in (one, other)])
    compiled = stored.compiled_between((one, other))
    said = [Text(text, "yellow") for text in (made_literal(NOT_TESTED), *changes, *compiled)]
    shown = layout.Blocks.of(where(one.run), where(other.run), Text(), *said, Text(), layout.grid_of(sheet))
    runs = [run_entry(one.run), run_entry(other.run)]
    facts: dict[str, Any] = {"not_compared": changes, "compiled_differently": compiled, "runs": runs}
    return presenting.present_sheets(output, lambda: shown, lambda: [sheet], measured_apart=True, **facts)


def _history(which: str, nights: int, output: presenting.Output) -> int:
    """Print the rank of a run among the runs before it on its machine; return 3 if it is outside of them all."""
    with open_store(output.location, create=False) as store:
        tonight = stored.answered(store, which)
        like = (one for one, _ in store.newest(tonight.run.id) if stored.is_like(one, tonight.run))
        others = [stored.with_headlines(store, run, tonight.run.cases) for run in islice(like, nights)][::-1]
        host = tonight.run.machine.hostname
        recent = [run for run, _ in islice(store.newest(tonight.run.id), nights) if run.machine.hostname == host]
    host_changed = [said for one in recent if (said := host_changes(tonight.run, one))][:1]
    if not others:
        none = f"The store has no earlier run of this machine that shares a case with run {tonight.run.id}."
        raise UsageError(" ".join([none, *host_changed]))
    found = sheets.among(tonight, others)
    changes, compiled = stored.changes_between((tonight, *others)), stored.compiled_between((tonight, *others))
    notes = (Text(text, "yellow") for text in (*host_changed, *changes, *compiled))
    shown = layout.Blocks.of(sheets.history_blocks(tonight, others, found), *notes)
    ranks = {name: getattr(found, name) for name in ("outside", "odder", "nights", "false_alarms", "why", "left_out")}
    facts: dict[str, Any] = {**ranks, "run": run_entry(tonight.run), "runs": [answer.run.id for answer in others]}
    facts |= {"host_changed": host_changed, "not_compared": changes, "compiled_differently": compiled}
    chart, sheet = partial(sheets.history_chart, tonight, others, found), sheets.history_sheet(tonight, found)
    code = 3 if found.outside else 4 if found.outside is None and output.strict else 0
    return presenting.present_sheets(output, lambda: shown, lambda: [sheet], chart=chart, code=code, **facts)
