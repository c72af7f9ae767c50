#pragma once

#include <string>

#include "failure.hpp"

namespace threadping::tests {

/// How a call failed: the contract's code and the sentence, or "accepted". What may go on running is said to.
template <class Call>
std::string failure_of(Call call) {
  try {
    call();
  } catch (const Unstoppable& failure) {
    return "unstoppable, " + std::string(name_of(failure.code())) + ": " + failure.what();
  } catch (const Failure& failure) {
    return std::string(name_of(failure.code())) + ": " + failure.what();
  }
  return "accepted";
}

/// The same without the sentence.
template <class Call>
std::string code_of(Call call) {
  const std::string failure = failure_of(call);
  return failure.substr(0, failure.find(':'));
}

}  // namespace threadping::tests
