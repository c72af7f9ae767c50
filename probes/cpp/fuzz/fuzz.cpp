// Whatever reads bytes that others wrote, for libFuzzer (`make fuzz`): the first byte says which of them. Without it, a
// program that damages the examples of each: `threadping-fuzz SEED INPUTS`.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/mutator.hpp"
#include "support/parsers.hpp"

namespace threadping {
namespace {

void read_or_abort(const tests::Parser& parser, std::string_view bytes) {
  const std::string wrong = parser.read(bytes);
  if (wrong.empty()) return;
  std::fprintf(stderr, "%.*s of %zu bytes: %s\n", static_cast<int>(parser.name.size()), parser.name.data(),
               bytes.size(), wrong.c_str());
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  std::abort();
}

}  // namespace
}  // namespace threadping

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto all = threadping::tests::parsers();
  if (size == 0) return 0;
  threadping::read_or_abort(all[data[0] % all.size()], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}

#ifndef THREADPING_LIBFUZZER
int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t inputs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  for (const threadping::tests::Parser& parser : threadping::tests::parsers()) {
    threadping::tests::Mutator mutator(parser.examples(), seed);
    for (std::uint64_t input = 0; input < inputs; ++input) threadping::read_or_abort(parser, mutator.next());
    std::printf("%.*s: %llu inputs, nothing found\n", static_cast<int>(parser.name.size()), parser.name.data(),
                static_cast<unsigned long long>(inputs));
  }
}
#endif
