"""The lines that put a program's threads on CPUs, for each tool that can; and what each of them cannot promise."""

from collections.abc import Iterator, Sequence

from threadping.contract import Topology
from threadping.model.bounds import Record
from threadping.numbers import ranges


class ToolLine(Record, frozen=True):
    """A line for a tool.

    Attributes:
        tool: whose it is.
        line: what to type, or to write into its file; words in capitals stand for yours.
        note: where it goes, or what it cannot promise; empty where there is nothing to say.
    """

    tool: str
    line: str
    note: str = ""


def lines_of(cpus: Sequence[int], topology: Topology) -> list[ToolLine]:
    """The lines that put as many threads as these CPUs there, in the order of the threads."""
    return [*_lines(cpus, _as_list(cpus), _node_of(cpus, topology))]


def _lines(cpus: Sequence[int], listed: str, node: int | None) -> Iterator[ToolLine]:
    """The lines for CPUs `listed` in ascending order; `node` where they are all on one of several."""
    threads = len(cpus)
    memory = "--localalloc" if node is None else f"--membind={node}"
    yield ToolLine("taskset", f"taskset -c {listed} COMMAND", ONE_EACH)
    yield ToolLine("numactl", f"numactl --physcpubind={listed} {memory} COMMAND", "With its memory.")
    yield ToolLine("systemd", f"CPUAffinity={listed}", "In [Service] of its unit.")
    if node is not None:
        yield ToolLine("systemd", "NUMAPolicy=bind", "With its memory, since version 243.")
        yield ToolLine("systemd", f"NUMAMask={node}")
    mems = "" if node is None else f" --cpuset-mems={node}"
    yield ToolLine("docker", f"docker run --cpuset-cpus={listed}{mems} IMAGE", "Others may still run there.")
    whole = f"{{cpu: {threads}, memory: 1Gi}}"
    yield ToolLine("kubernetes", f"resources: {{requests: {whole}, limits: {whole}}}", KUBERNETES)
    yield ToolLine("java", f"taskset -c {listed} java -XX:ActiveProcessorCount={threads} -jar APP.jar", BESIDE_THREADS)
    places = ",".join(f"{{{cpu}}}" for cpu in cpus)
    yield ToolLine(
        "openmp",
        f"OMP_NUM_THREADS={threads} OMP_PLACES='{places}' OMP_PROC_BIND=close PROGRAM",
        "Thread by thread, in this order.",
    )


ONE_EACH = "Any of them on any of these; `taskset -pc CPU TID` pins each."

KUBERNETES = "By the static CPU manager: so many CPUs of its own, and nobody can ask which (docs/place.md)."

BESIDE_THREADS = "The compiler and the collector run there too."


def _as_list(cpus: Sequence[int]) -> str:
    """The list that all of these tools read: `0,2-5`."""
    return ",".join(ranges(sorted(cpus)))


def _node_of(cpus: Sequence[int], topology: Topology) -> int | None:
    """The node that all are on, where the machine has several; else None."""
    every = {cpu.node for cpu in topology.cpus if cpu.node is not None}
    those = {cpu.node for cpu in topology.cpus if cpu.cpu in cpus}
    return those.pop() if len(every) > 1 and len(those) == 1 else None
