#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "crew/experiment.hpp"
#include "crew/lead.hpp"
#include "message/request.hpp"
#include "message/result.hpp"
#include "platform/bell.hpp"
#include "platform/threads.hpp"

namespace threadping::crew {

/// The threads of one trial, and the calling one, which watches over them: it starts them, sleeps until all have ended,
/// somebody has failed or the bound has passed, and then stops them. It knows no experiment.
class Crew {
 public:
  Crew(const message::Request& request, const Experiment& experiment, Loops& loops, message::Result& result,
       platform::Threads::Start start);

  /// The whole trial. Throws Failure for what went wrong first, and Unstoppable where threads remain, which still use
  /// all that the crew was given.
  void run();

  /// What the threads have told, once they have ended.
  void report(std::string_view timed);

 private:
  void start();
  void live(std::size_t index);
  void lead();
  void watch();
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] bool failed() const;
  [[nodiscard]] bool leads_from_outside() const { return experiment_.windows == message::Unit::ns; }
  std::uint64_t progress();
  void refuse_failures() const;

  const message::Request& request_;
  const Experiment& experiment_;
  Loops& loops_;
  message::Result& result_;
  platform::Shared<Common> common_;
  platform::Shared<Board> boards_;
  std::vector<std::unique_ptr<Recorder>> recorders_;  ///< Of those members that time, the first ones.
  std::vector<Member> members_;
  std::unique_ptr<Lead> lead_;
  std::atomic<bool> lead_ended_{false};
  platform::Bell bell_;
  std::uint64_t deadline_ns_ = 0;
  bool stalled_ = false;
  platform::Threads threads_;
};

}  // namespace threadping::crew
