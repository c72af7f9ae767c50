#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace threadping::tests {

/// What a process left behind.
struct Ended {
  int status = 0;  ///< Its exit status, or 128 and the signal that killed it.
  std::string output;
  std::string errors;
};

/// Starts the real probe. `environment` ("NAME=value") comes before what it inherits.
pid_t start_probe(std::vector<std::string> arguments, std::vector<std::string> environment = {}, int output = -1,
                  int errors = -1);

/// The same, and waits for its end.
Ended run_probe(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

/// The status in the words of Ended.
int status_of(int wait_status);

}  // namespace threadping::tests
