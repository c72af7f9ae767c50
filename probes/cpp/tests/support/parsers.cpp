#include "support/parsers.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "contract/request.hpp"
#include "engine/params.hpp"
#include "experiments/network/server.hpp"
#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/kernel_texts.hpp"
#include "support/files.hpp"

namespace threadping::tests {
namespace {

/// Of both kinds, by names that the examples give.
constexpr std::array<std::string_view, 2> kWaits{"spin", "yield"};
constexpr std::array<engine::ParamInfo, 4> kParams{{{.name = "wait", .choices = kWaits},
                                                    {.name = "spins", .number = 1000, .most = 1'000'000'000},
                                                    {.name = "buffer", .number = 4096, .most = 1'048'576},
                                                    {.name = "size", .number = 2, .least = 2, .most = 1'048'576}}};

/// A request is accepted, or refused in a sentence that says whose fault it is.
std::string read_request(std::string_view bytes) {
  try {
    const contract::Request request = contract::parse_request(bytes);
    const engine::Params params(request.mechanism, kParams, request.params);
  } catch (const Failure& failure) {
    const std::string_view sentence = failure.what();
    const bool explains = failure.code() <= ErrorCode::unsupported && sentence.ends_with('.');
    return explains ? "" : std::string(name_of(failure.code())) + ": " + failure.what();
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
  return "";
}

std::vector<std::string> requests() {
  std::vector<std::string> texts;
  for (const auto& file : examples("bad", "request")) texts.push_back(read_file(file));
  for (const auto& file : examples("good", "request")) texts.insert(texts.end(), 10, read_file(file));
  return texts;
}

/// Whatever the kernel says, nothing is thrown, and what is read was there.
std::string read_kernel_text(std::string_view bytes) {
  try {
    platform::run_delay_in(bytes);
    for (const int cpu : {0, 1, 7, 65535}) platform::soft_interrupts_in(bytes, cpu);
    const auto nodes = platform::nodes_in(bytes, 0x7f2c80000000);
    if (nodes && (nodes->empty() || !std::ranges::is_sorted(*nodes) || nodes->front() < 0)) return "odd nodes";
    platform::machine_counters_in(bytes, {0, 1, 5});
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
  return "";
}

std::vector<std::string> kernel_texts() {
  return {
      "188422 5417 12\n",
      "                    CPU0       CPU1       \n          HI:          1          2\n       TIMER:    1112980    "
      "1302291\n",
      "7f2c70000000 default anon=256 dirty=256 N0=200 N1=56 kernelpagesize_kB=4\n7f2c90000000 default N0=1\n",
      "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu1 1 2 3 4 5 6 7 80 9 10\nintr 4711 0 0\nctxt 12\n",
  };
}

constexpr std::uint64_t kPlaceOfNonce = 0x4e4f4e434e4f4e43;  // "NONCNONC"

std::string message(std::uint64_t number, std::uint32_t size, std::size_t bytes) {
  std::string text(bytes, 'x');
  network::write({.nonce = kPlaceOfNonce, .number = number, .size = size, .spins = 0},
                 std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::string> messages() {
  const std::string hello = message(0, 40, sizeof(network::Head));
  return {
      hello + message(1, 40, 40) + message(2, 40, 40) + message(network::kAsk, 40, 40) + message(network::kBye, 40, 40),
      hello + message(network::kAsk, 0, 40) + message(1, 0, 40), message(0, network::kMostBytes, sizeof(network::Head)),
      message(0, 24, 24) + message(1, 24, 24) + message(3, 24, 24), message(7, 24, 24)};
}

/// The far end of a network trial answers no more than it was sent, and does not wait for what never comes.
// NOLINTNEXTLINE(modernize-use-string-view): a Parser's, and others have more to say
std::string read_messages(std::string_view bytes) {
  static const network::Server server("127.0.0.1");
  static const std::atomic<bool> stopped{false};
  std::string sent(bytes.substr(0, 4096));
  std::string nonce(8, '\0');
  const network::Head head{.nonce = server.peer().nonce, .number = 0, .size = 0, .spins = 0};
  std::array<std::byte, sizeof head> written{};
  network::write(head, written);
  std::memcpy(nonce.data(), written.data(), nonce.size());
  for (std::size_t at = sent.find("NONCNONC"); at != std::string::npos; at = sent.find("NONCNONC", at))
    sent.replace(at, nonce.size(), nonce);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return "";
  const network::Socket near(ends[0]);
  {
    const network::Socket far(ends[1]);
    if (send(near.get(), sent.data(), sent.size(), MSG_NOSIGNAL) < 0) return "cannot be sent";
    shutdown(near.get(), SHUT_WR);
    server.echo(network::Wire(far.get(), {.datagrams = false, .spins = false}), false, sizeof(network::Head), stopped);
  }
  std::size_t answered = 0;
  std::array<char, 4096> answers{};
  for (ssize_t got = 0; (got = recv(near.get(), answers.data(), answers.size(), MSG_DONTWAIT)) > 0;)
    answered += static_cast<std::size_t>(got);
  return answered > sent.size() ? "answered more than it was sent" : "";
}

constexpr std::array<Parser, 3> kParsers{{
    {.name = "request", .read = read_request, .examples = requests},
    {.name = "kernel-text", .read = read_kernel_text, .examples = kernel_texts},
    {.name = "network", .read = read_messages, .examples = messages},
}};

}  // namespace

std::span<const Parser> parsers() { return kParsers; }

}  // namespace threadping::tests
