#pragma once

#include <string>

namespace threadping::contract {

/// The message of `probe topology`: the online CPUs and what they share, as hwloc reads them, and the CPUs that this
/// process may use (contract/topology.schema.json). Where hwloc fails, and of CPUs that it does not list, nothing is
/// known. Throws Failure(internal) where the affinity mask cannot be read.
std::string describe_topology();

}  // namespace threadping::contract
