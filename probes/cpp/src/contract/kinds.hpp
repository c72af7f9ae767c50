#pragma once

#include <hwloc.h>

#include <map>
#include <string>

namespace threadping::contract {

/// What the cores of a hybrid machine are called, by their CPUs: `P`, `E` and `LP-E` (low power) of Intel's, `big`,
/// `medium` and `little` where Linux reports capacities. Nothing of a machine whose cores are all of one kind, and of
/// one that does not report them.
///
/// Args:
///   root: below which the files of /sys are; empty on this machine.
std::map<int, std::string> kinds_of_cores(hwloc_topology_t topology, const std::string& root);

}  // namespace threadping::contract
