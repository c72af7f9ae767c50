#include "contract/topology.hpp"

#include <hwloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <type_traits>
#include <utility>

#include "contract/json.hpp"
#include "contract/kinds.hpp"
#include "contract/request.hpp"
#include "failure.hpp"
#include "platform/descriptor.hpp"
#include "platform/kernel_texts.hpp"
#include "platform/pinning.hpp"

namespace threadping::contract {
namespace {

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

/// The tree of CPUs has no memory: gives the first node that is near this one.
Json node_of(hwloc_obj_t cpu) {
  const int node = hwloc_bitmap_first(cpu->nodeset);
  return node < 0 ? Json(nullptr) : Json(node);
}

/// The CPUs that the system knows and that are not there now.
platform::CpuSet offline(hwloc_topology_t topology) {
  platform::CpuSet cpus;
  hwloc_const_bitmap_t online = hwloc_topology_get_topology_cpuset(topology);
  hwloc_const_bitmap_t known = hwloc_topology_get_complete_cpuset(topology);
  for (int cpu = -1; (cpu = hwloc_bitmap_next(known, cpu)) >= 0;)
    if (hwloc_bitmap_isset(online, static_cast<unsigned>(cpu)) == 0) cpus.push_back(cpu);
  return cpus;
}

/// What hwloc read of the CPUs; nothing where it reads nothing.
struct Listed {
  platform::CpuSet numbers;
  std::vector<Json> cpus;
  platform::CpuSet offline;
};

/// The system's description of its CPUs, as hwloc reads it.
Listed read_cpus(const std::string& root) {
  const Topology owned = load();
  hwloc_topology_t topology = owned.get();
  const auto kinds = kinds_of_cores(topology, root);
  Listed listed{.numbers = {}, .cpus = {}, .offline = offline(topology)};
  for (hwloc_obj_t cpu = nullptr; (cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu)) != nullptr;) {
    listed.numbers.push_back(static_cast<int>(cpu->os_index));
    listed.cpus.push_back({
        {"cpu", cpu->os_index},
        {"core", ancestor_of(topology, cpu, HWLOC_OBJ_CORE)},
        {"l2", ancestor_of(topology, cpu, HWLOC_OBJ_L2CACHE)},
        {"l3", ancestor_of(topology, cpu, HWLOC_OBJ_L3CACHE)},
        {"node", node_of(cpu)},
        {"package", ancestor_of(topology, cpu, HWLOC_OBJ_PACKAGE)},
    });
    if (const auto kind = kinds.find(listed.numbers.back()); kind != kinds.end())
      listed.cpus.back().add("kind", kind->second);
  }
  return listed;
}

/// All that can be read until the other end is closed.
std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(from, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);)
    text.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

[[noreturn]] void write_and_exit(int to, int chatter, const std::function<std::string()>& make) {
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(chatter, STDERR_FILENO);
  try {
    const std::string text = make();
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t wrote = write(to, text.data() + done, text.size() - done);
      if (wrote < 0 && errno != EINTR) _exit(EXIT_FAILURE);
      done += static_cast<std::size_t>(std::max<ssize_t>(wrote, 0));
    }
    _exit(EXIT_SUCCESS);
  } catch (...) {
    _exit(EXIT_FAILURE);
  }
}

/// What was made, and what was said meanwhile on stderr.
struct Made {
  std::string text;
  std::string chatter;
};

/// Makes it in a process of its own, which may die of it: the text is empty where it did. Here where none can be
/// started.
Made make_in_a_child(const std::function<std::string()>& make) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {.text = make(), .chatter = {}};
  const platform::Descriptor from(ends[0]);
  const platform::Descriptor chatter(memfd_create("chatter", MFD_CLOEXEC));
  pid_t child = -1;
  {
    const platform::Descriptor to(ends[1]);
    child = fork();
    if (child == 0) write_and_exit(to.get(), chatter.get(), make);
  }
  if (child < 0) return {.text = make(), .chatter = {}};
  std::string text = read_all(from.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) text.clear();
  lseek(chatter.get(), 0, SEEK_SET);
  return {.text = std::move(text), .chatter = read_all(chatter.get())};
}

/// The CPUs that the scheduler leaves alone: those of isolcpus=, and of cpusets that are isolated partitions.
platform::CpuSet isolated(const std::string& root) {
  return platform::united(platform::cpus_in_file(root + "/sys/devices/system/cpu/isolated"),
                          platform::cpus_in_file(root + "/sys/fs/cgroup/cpuset.cpus.isolated"));
}

/// The machine that hwloc reads: where it is a recorded one, its files are below a folder.
std::string root_of_machine() {
  const char* recorded = std::getenv("HWLOC_FSROOT");
  return recorded == nullptr ? "" : recorded;
}

/// The message of what hwloc listed. Nothing is known about CPUs that may be used although the system does not list
/// them.
Json message_of(Listed listed, const std::string& source, const std::string& root) {
  const platform::CpuSet allowed = platform::allowed_cpus();
  for (const int cpu : allowed)
    if (std::ranges::find(listed.numbers, cpu) == listed.numbers.end())
      listed.cpus.push_back(
          {{"cpu", cpu}, {"core", nullptr}, {"l2", nullptr}, {"l3", nullptr}, {"node", nullptr}, {"package", nullptr}});
  std::erase_if(listed.offline, [&](int cpu) { return std::ranges::binary_search(allowed, cpu); });
  Json message{{"schema", kSchema}, {"source", source}, {"cpus", listed.cpus}, {"allowed", allowed}};
  if (!listed.offline.empty()) message.add("offline", listed.offline);
  if (const auto cpus = isolated(root); !cpus.empty()) message.add("isolated", cpus);
  return message;
}

}  // namespace

/// hwloc asserts what a container's /sys need not hold, such as a node in its folder of nodes, and ends the process: it
/// reads in a child. A description that cannot be true is left out: hwloc says so on stderr, which is passed on.
std::string describe_topology() {
  const std::string root = root_of_machine();
  const unsigned version = hwloc_get_api_version();
  const std::string hwloc = "hwloc API " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xFF);
  const Made made = make_in_a_child([&] { return message_of(read_cpus(root), hwloc, root).text(); });
  std::cerr << made.chatter;
  Json message = made.text.empty()
                     ? message_of({}, "the affinity mask, because " + hwloc + " cannot read this machine", root)
                     : Json::written(made.text);
  if (made.chatter.find("received invalid information") != std::string::npos) message.add("contradicts_itself", true);
  return message.text();
}

}  // namespace threadping::contract
