#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "crew/experiment.hpp"
#include "crew/lead.hpp"
#include "platform/bell.hpp"
#include "platform/threads.hpp"

namespace threadping::crew {

/// The threads of one trial, and the calling one, which watches over them: it starts them, sleeps until all have ended,
/// somebody has failed or the bound has passed, and then stops them. It knows no experiment.
class Crew {
 public:
  Crew(const message::Request& request, const Experiment& experiment, std::unique_ptr<Loops> loops,
       platform::Threads::Start start);

  /// The whole trial, and what the threads have told; `timed` names what they timed. Throws Failure for what went wrong
  /// first, and Unstoppable where threads remain, which still use all that the crew holds.
  message::Result& run(const platform::ClockQuality& clock, std::string_view timed);

  [[nodiscard]] Loops& loops() const { return *scene_.loops; }

 private:
  void start();
  void live(std::size_t index);
  void lead();
  void watch();
  void report(std::string_view timed);
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] bool failed() const;
  [[nodiscard]] bool leads_from_outside() const { return experiment_.windows == message::Unit::ns; }
  [[nodiscard]] std::uint64_t progress() const;

  /// Throws what went wrong first, if anything did.
  template <class Thrown>
  void refuse() const;

  const Experiment& experiment_;
  Scene scene_;
  std::deque<Member> members_;
  std::unique_ptr<Lead> lead_;
  std::atomic<bool> lead_ended_;
  platform::Bell bell_;
  bool stalled_ = false;
  platform::Threads threads_;
};

}  // namespace threadping::crew
