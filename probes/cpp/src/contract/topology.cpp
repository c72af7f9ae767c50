#include "contract/topology.hpp"

#include <hwloc.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "contract/request.hpp"
#include "failure.hpp"
#include "platform/pinning.hpp"

namespace threadping::contract {
namespace {

using Json = nlohmann::ordered_json;

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Topology load() {
  hwloc_topology_t loaded = nullptr;
  if (hwloc_topology_init(&loaded) != 0) throw Failure(ErrorCode::internal, "hwloc cannot be initialised.");
  Topology topology(loaded);
  // The CPUs that a cpuset keeps from us belong to the picture too.
  hwloc_topology_set_flags(loaded, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(loaded) != 0) throw Failure(ErrorCode::internal, "hwloc cannot read this machine.");
  return topology;
}

Json ancestor_of(hwloc_topology_t topology, hwloc_obj_t cpu, hwloc_obj_type_t type) {
  const hwloc_obj* ancestor = hwloc_get_ancestor_obj_by_type(topology, type, cpu);
  return ancestor == nullptr ? Json(nullptr) : Json(ancestor->logical_index);
}

/// Memory hangs beside the tree of CPUs: the first node that is near this one.
Json node_of(hwloc_obj_t cpu) {
  const int node = hwloc_bitmap_first(cpu->nodeset);
  return node < 0 ? Json(nullptr) : Json(node);
}

}  // namespace

std::string describe_topology() {
  const Topology owned = load();
  hwloc_topology_t topology = owned.get();
  Json cpus = Json::array();
  for (hwloc_obj_t cpu = nullptr; (cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu)) != nullptr;)
    cpus.push_back({
        {"cpu", cpu->os_index},
        {"core", ancestor_of(topology, cpu, HWLOC_OBJ_CORE)},
        {"l2", ancestor_of(topology, cpu, HWLOC_OBJ_L2CACHE)},
        {"l3", ancestor_of(topology, cpu, HWLOC_OBJ_L3CACHE)},
        {"node", node_of(cpu)},
        {"package", ancestor_of(topology, cpu, HWLOC_OBJ_PACKAGE)},
    });
  const unsigned version = hwloc_get_api_version();
  const Json message = {
      {"schema", kSchema},
      {"source", "hwloc API " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xFF)},
      {"cpus", std::move(cpus)},
      {"allowed", platform::allowed_cpus()},
  };
  return message.dump();
}

}  // namespace threadping::contract
