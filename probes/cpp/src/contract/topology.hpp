#pragma once

#include <string>

namespace threadping::contract {

/// The message of `probe topology`: the online CPUs and what they share, as hwloc reads them, and the CPUs that this
/// process may use (contract/topology.schema.json). Throws Failure(internal).
std::string describe_topology();

}  // namespace threadping::contract
