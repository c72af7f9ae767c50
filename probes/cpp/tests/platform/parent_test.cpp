#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "platform/memory.hpp"
#include "platform/threads.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace threadping::platform {
namespace {

/// Looks until `done` says so; false after a generous time.
template <class Done>
bool soon(Done done) {
  for (int look = 0; look < 6'000; ++look) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::ptrdiff_t threads_of(pid_t pid) {
  std::error_code gone;
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task", gone);
  return gone ? 0 : std::distance(tasks, {});
}

class Parent : public testing::Test {
 protected:
  Parent() {
    auto request = nlohmann::json::parse(tests::read_file(tests::example("good/request-pinned.json")));
    request["mechanism"] = "condition";  // it is to live, not to burn CPUs
    for (auto& thread : request["threads"]) thread["cpu"] = nullptr;
    request["measure_ns"] = 300'000'000'000;
    request["bound_ns"] = 300'000'000'000;
    tests::write_file(directory_ / "request.json", request.dump());
  }

  [[nodiscard]] std::vector<std::string> run_for_minutes() const {
    return {"run", "--request", directory_ / "request.json", "--result", directory_ / "result.json"};
  }

  tests::TemporaryDirectory directory_;
};

/// A process that starts the probe and waits, so that it can be killed. Its orphan comes to us to be waited for.
class Launcher {
 public:
  explicit Launcher(const std::vector<std::string>& arguments) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    launcher_ = fork();
    if (launcher_ != 0) return;
    probe_[0] = tests::start_probe(arguments);
    for (;;) pause();
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher() {
    if (!probe_ended_ && probe_[0] > 0) ::kill(probe_[0], SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  [[nodiscard]] bool measures() const { return probe_[0] > 0 && threads_of(probe_[0]) >= 3; }
  void kill() const { ::kill(launcher_, SIGKILL); }

  /// How the probe ended, or -1 if it did not.
  int status_of_probe() {
    int status = 0;
    probe_ended_ = soon([&] { return waitpid(probe_[0], &status, WNOHANG) == probe_[0]; });
    return probe_ended_ ? tests::status_of(status) : -1;
  }

 private:
  pid_t launcher_ = 0;
  Shared<std::atomic<pid_t>> probe_{1, Sharing::processes};
  bool probe_ended_ = false;
};

TEST_F(Parent, WhenItDiesTheProbeDiesToo) {
  Launcher launcher(run_for_minutes());
  ASSERT_TRUE(soon([&] { return launcher.measures(); })) << "the probe does not measure";
  launcher.kill();
  EXPECT_EQ(launcher.status_of_probe(), 128 + SIGKILL);
  EXPECT_EQ(directory_.names(), std::vector<std::string>{"request.json"});
}

TEST_F(Parent, ThatIsAnotherOneEndsTheProbeAtOnce) {
  std::vector<std::string> arguments = run_for_minutes();
  arguments.insert(arguments.end(), {"--parent", std::to_string(getppid())});
  EXPECT_EQ(tests::run_probe(arguments).status, 1);
  EXPECT_EQ(directory_.names(), std::vector<std::string>{"request.json"});
}

TEST_F(Parent, ThatIsTheRightOneLetsTheProbeMeasure) {
  auto request = nlohmann::json::parse(tests::read_file(directory_ / "request.json"));
  request["measure_ns"] = 1'000'000;
  tests::write_file(directory_ / "request.json", request.dump());
  std::vector<std::string> arguments = run_for_minutes();
  arguments.insert(arguments.end(), {"--parent", std::to_string(getpid())});
  EXPECT_EQ(tests::run_probe(arguments).status, 0);
  EXPECT_EQ(directory_.names(), (std::vector<std::string>{"request.json", "result.json"}));
}

}  // namespace
}  // namespace threadping::platform
