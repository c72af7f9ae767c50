"""How many CPUs' time the control groups allow this process, in either version of them."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from threadping.machine.tree import text

MOUNTS_V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")


def cpu_quota(root: Path) -> float | None:
    """The tightest quota of this process's control group and of those around it, in CPUs; None is unlimited."""
    quotas = []
    for line in (text(root, "/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        for level in _levels(group):
            if number == "0":
                quotas += [_cpus(text(root, f"{mount}{level}/cpu.max")) for mount in MOUNTS_V2]
            elif "cpu" in controllers.split(","):
                folders = [f"/sys/fs/cgroup/{name}{level}/cpu.cfs" for name in (controllers, "cpu")]
                quotas += [_cpus(f"{text(root, f'{at}_quota_us')} {text(root, f'{at}_period_us')}") for at in folders]
    return min((quota for quota in quotas if quota is not None), default=None)


def _levels(group: str) -> Iterator[str]:
    """The group and every one around it. A container may see its group at the root whatever its path says."""
    path = PurePosixPath("/", *(part for part in PurePosixPath(group).parts if part not in ("/", "..")))
    for level in (path, *path.parents):
        yield "" if str(level) == "/" else str(level)


def _cpus(limit: str | None) -> float | None:
    """A quota and its period: `200000 100000` is two CPUs; `max 100000` is none, and so is a quota of -1."""
    numbers = [int(word) for word in (limit or "").split()[:2] if word.isdecimal()]
    return numbers[0] / numbers[1] if len(numbers) == 2 and numbers[1] else None
