"""What lscpu writes, in the forms of several versions, and what it never wrote."""

import platform
import subprocess

import pytest

from threadping.probes.identity import COMMAND, cpu_fields

FLAT = """{"lscpu": [
   {"field":"Model name:", "data":"Intel(R) Xeon(R) CPU           E5-2690 0 @ 2.90GHz"},
   {"field":"Flags:", "data":"fpu vme hypervisor"}
]}"""
"""2.36, here without most of its line ends: one list."""
IN_FLAT = {"Model name": "Intel(R) Xeon(R) CPU E5-2690 0 @ 2.90GHz", "Flags": "fpu vme hypervisor"}

NESTED = """{"lscpu": [
   {"field": "Vendor ID:", "data": "ARM", "children": [
      {"field": "Model name:", "data": "Cortex-A53", "children": [{"field": "Flags:", "data": "fp asimd"}]},
      {"field": "Model name:", "data": "Cortex-A72", "children": [{"field": "Flags:", "data": "fp asimd"}]}]},
   {"field": "Virtualization features:", "data": null, "children": [{"field": "Hypervisor vendor:", "data": "KVM"}]}
]}"""
"""2.38 on a terminal: a tree, with headings that have no value of their own."""
CORES = "Cortex-A53 + Cortex-A72"
IN_NESTED = {"Vendor ID": "ARM", "Model name": CORES, "Flags": "fp asimd", "Hypervisor vendor": "KVM"}

EMPTY = '{"lscpu": [{"field": "Model name:", "data": "-"}, {"field": "Flags:", "data": ""}]}'


@pytest.mark.parametrize(("stdout", "fields"), [(FLAT, IN_FLAT), (NESTED, IN_NESTED), (EMPTY, {})])
def test_every_field_is_found_however_deep_it_lies(stdout: str, fields: dict[str, str]) -> None:
    assert cpu_fields(stdout) == fields


@pytest.mark.parametrize(
    "stdout",
    [
        *("", "lscpu: unrecognized option '-J'\n", FLAT[:-20], "[]", '{"lscpu": null}', '{"lscpu": [7]}'),
        *('{"lscpu": [{"data": "KVM"}]}', '{"lscpu": [{"field": "CPU(s):"}]}', '{"lscpu": "\udcff"}'),
        '{"lscpu": [{"field": "CPU(s):", "data": 8}]}',
    ],
)
def test_what_lscpu_does_not_write_tells_nothing(stdout: str) -> None:
    assert cpu_fields(stdout) == {}


def test_this_machines_lscpu_is_understood() -> None:
    done = subprocess.run(COMMAND, env={"LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert cpu_fields(done.stdout)["Architecture"] == platform.machine()
