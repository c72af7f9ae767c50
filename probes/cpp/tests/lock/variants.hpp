#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "lock/catalogue.hpp"
#include "lock/trial.hpp"
#include "message/request.hpp"
#include "params.hpp"

namespace threadping::lock {

/// A mechanism of the catalogue. One that is added there inherits every question of the parameterised tests.
struct Variant {
  Entry entry;

  [[nodiscard]] std::unique_ptr<Cells> cells(std::size_t count, std::size_t threads,
                                             const std::map<std::string, message::Param>& params = {}) const {
    return entry.make(Params(entry.info, params), count, threads);
  }

  /// The trial that `request` asks for, of this mechanism.
  [[nodiscard]] message::LockResult run(message::Request request) const {
    request.mechanism = entry.info.name;
    return Trial(request, cells(request.lines, request.cpus.size(), request.params)).run();
  }

  /// A hyphen would mean "not" in a test filter.
  [[nodiscard]] std::string name() const {
    std::string name(entry.info.name);
    std::ranges::replace(name, '-', '_');
    return name;
  }
  friend std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name(); }
};

inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const Entry& entry : catalogue()) all.push_back({entry});
  return all;
}

struct VariantName {
  std::string operator()(const testing::TestParamInfo<Variant>& info) const { return info.param.name(); }
};

}  // namespace threadping::lock
