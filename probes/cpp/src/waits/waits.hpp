#pragma once

#include <array>
#include <string_view>

#include "crew/experiment.hpp"
#include "waits/backoff.hpp"
#include "waits/pause.hpp"
#include "waits/spin.hpp"
#include "waits/yield.hpp"

namespace threadping::waits {

inline constexpr std::array<std::string_view, 4> kWaits{"spin", "pause", "yield", "backoff"};

/// The parameters by which a request chooses a wait.
inline constexpr crew::ParamInfo kWait{.name = "wait", .choices = kWaits};
inline constexpr crew::ParamInfo kPauses{
    .name = "pauses", .number = 1, .least = 1, .most = 10'000, .only_with = {.param = "wait", .value = "pause"}};

/// Calls `visit` as a template over the wait that these parameters name: `visit.template operator()<Spin>()`.
template <class Visit>
auto with_wait(const crew::Params& params, Visit visit) {
  const std::string_view wait = params.text("wait");
  if (wait == "pause") return visit.template operator()<Pause>();
  if (wait == "yield") return visit.template operator()<Yield>();
  if (wait == "backoff") return visit.template operator()<Backoff>();
  return visit.template operator()<Spin>();
}

}  // namespace threadping::waits
