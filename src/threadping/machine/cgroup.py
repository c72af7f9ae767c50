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
                quotas += [_quota_v2(root, f"{mount}{level}/cpu.max") for mount in MOUNTS_V2]
            elif "cpu" in controllers.split(","):
                quotas += [_quota_v1(root, f"/sys/fs/cgroup/{name}{level}") for name in {controllers, "cpu"}]
    return min((quota for quota in quotas if quota is not None), default=None)


def _levels(group: str) -> Iterator[str]:
    """The group and every one around it. A container may see its group at the root whatever its path says."""
    path = PurePosixPath("/", *(part for part in PurePosixPath(group).parts if part not in ("/", "..")))
    for level in (path, *path.parents):
        yield "" if str(level) == "/" else str(level)


def _quota_v2(root: Path, file: str) -> float | None:
    """`cpu.max` holds `200000 100000`, or `max 100000`."""
    return _share(*(text(root, file) or "max").split()[:2])


def _quota_v1(root: Path, folder: str) -> float | None:
    """A quota of -1 is none."""
    return _share(text(root, f"{folder}/cpu.cfs_quota_us") or "-1", text(root, f"{folder}/cpu.cfs_period_us") or "")


def _share(quota: str, period: str = "") -> float | None:
    if not quota.isdecimal() or not period.isdecimal() or int(period) == 0:
        return None
    return int(quota) / int(period)
