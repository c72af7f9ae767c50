#include "platform/available.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "platform/text_files.hpp"

namespace threadping::platform {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The names of one version's files in a control group's folder. What is in `reclaimable` counts as used, though the
/// kernel takes it back before it kills anybody.
struct Names {
  const char* folder;
  const char* limit;
  const char* used;
  const char* reclaimable;
};
constexpr Names kFirst{.folder = "/sys/fs/cgroup/memory",
                       .limit = "memory.limit_in_bytes",
                       .used = "memory.usage_in_bytes",
                       .reclaimable = "total_inactive_file"};
constexpr Names kSecond{
    .folder = "/sys/fs/cgroup", .limit = "memory.max", .used = "memory.current", .reclaimable = "inactive_file"};

/// The number that a file consists of; nothing of "max", or where there is none.
std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string text = read_text(path).value_or("");
  std::string_view left = text;
  return next_number(left);
}

/// The number behind a name in a file of such lines.
std::optional<std::uint64_t> number_of(std::string_view name, const std::string& path) {
  const std::string text = read_text(path).value_or("");
  std::string_view left = text;
  while (auto words = next_line(left))
    if (next_word(*words) == name) return next_number(*words);
  return std::nullopt;
}

std::uint64_t without(std::uint64_t from, std::uint64_t taken) { return from - std::min(from, taken); }

/// What one group leaves.
std::uint64_t left_in(const std::string& folder, const Names& names) {
  const auto limit = number_in(folder + "/" + names.limit);
  if (!limit) return kUnlimited;
  const std::uint64_t used = number_in(folder + "/" + names.used).value_or(0);
  return without(*limit, without(used, number_of(names.reclaimable, folder + "/memory.stat").value_or(0)));
}

/// What a group and all those leave that it is in. In a container the path may begin above what is mounted there.
std::uint64_t left_from(const std::string& root, std::string path, const Names& names) {
  std::uint64_t left = left_in(root + names.folder, names);
  for (; !path.empty() && path != "/"; path.resize(path.find_last_of('/')))
    left = std::min(left, left_in(root + names.folder + path, names));
  return left;
}

/// The memory left by a line of /proc/self/cgroup, "4:memory:/a/b" or "0::/a/b".
std::uint64_t left_by(std::string_view line, const std::string& root) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return kUnlimited;
  const std::string kinds = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
  const std::string path(line.substr(second + 1));
  if (!path.starts_with('/')) return kUnlimited;
  if (kinds == ",,") return left_from(root, path, kSecond);
  return kinds.find(",memory,") == std::string::npos ? kUnlimited : left_from(root, path, kFirst);
}

}  // namespace

std::uint64_t available_bytes(const std::string& root) {
  constexpr std::uint64_t kKibibyte = 1024;
  std::uint64_t left = kUnlimited;
  if (const auto machine = number_of("MemAvailable:", root + "/proc/meminfo"))
    left = *machine > kUnlimited / kKibibyte ? kUnlimited : *machine * kKibibyte;
  const std::string text = read_text(root + "/proc/self/cgroup").value_or("");
  std::string_view groups = text;
  while (const auto line = next_line(groups)) left = std::min(left, left_by(*line, root));
  return left;
}

}  // namespace threadping::platform
