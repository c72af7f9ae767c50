#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mechanisms/message.hpp"

// What a class of a user's header must have, concept by concept: docs/how-to/custom-mechanism.md shows one of each.

namespace threadping::own {

/// An operation as a person writes it, and whether a class has it.
struct Operation {
  std::string_view written;
  bool had;
};

/// What a class was looked at as: a "signal", a "queue", a "lock" or a "barrier".
struct Likeness {
  std::string_view kind;
  std::span<const Operation> operations;

  [[nodiscard]] bool met() const { return std::ranges::all_of(operations, &Operation::had); }
};

inline constexpr std::string_view kSignal = "signal";
inline constexpr std::string_view kQueue = "queue";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kBarrier = "barrier";

template <std::size_t kCount>
constexpr bool all(const std::array<Operation, kCount>& operations) {
  return std::ranges::all_of(operations, &Operation::had);
}

template <class S>
inline constexpr std::array kSignalOperations{
    Operation{"a constructor without arguments", std::default_initializable<S>},
    Operation{"void publish(std::uint64_t number)", requires(S s, std::uint64_t n) { s.publish(n); }},
    Operation{"std::uint64_t await(std::uint64_t number)",
              requires(S s, std::uint64_t n) {
                { s.await(n) } -> std::convertible_to<std::uint64_t>;
              }},
    Operation{"void stop()", requires(S s) { s.stop(); }},
    Operation{"std::uint64_t peek() const",
              requires(const S s) {
                { s.peek() } -> std::convertible_to<std::uint64_t>;
              }},
};

template <class L>
inline constexpr std::array kLockOperations{
    Operation{"a constructor without arguments", std::default_initializable<L>},
    Operation{"void acquire()", requires(L l) { l.acquire(); }},
    Operation{"void release()", requires(L l) { l.release(); }},
};

/// Such a lock with the names of the standard library.
template <class L>
inline constexpr std::array kStandardLockOperations{
    Operation{"a constructor without arguments", std::default_initializable<L>},
    Operation{"void lock()", requires(L l) { l.lock(); }},
    Operation{"void unlock()", requires(L l) { l.unlock(); }},
};

template <class C>
inline constexpr std::array kBarrierOperations{
    Operation{"a constructor from std::size_t, how many workers", std::constructible_from<C, std::size_t>},
    Operation{"void release(std::uint64_t round)", requires(C c, std::uint64_t n) { c.release(n); }},
    Operation{"void await(std::size_t worker, std::uint64_t round)",
              requires(C c, std::size_t m, std::uint64_t n) { c.await(m, n); }},
    Operation{"void arrive(std::size_t worker, std::uint64_t round)",
              requires(C c, std::size_t m, std::uint64_t n) { c.arrive(m, n); }},
    Operation{"void join(std::uint64_t round)", requires(C c, std::uint64_t n) { c.join(n); }},
    Operation{"void stop()", requires(C c) { c.stop(); }},
};

/// A barrier with the name of the standard library: all threads meet there twice a round.
template <class B>
inline constexpr std::array kMeetingOperations{
    Operation{"a constructor from std::size_t, how many threads", std::constructible_from<B, std::size_t>},
    Operation{"void arrive_and_wait()", requires(B b) { b.arrive_and_wait(); }},
};

/// Whether a lock lets readers in together, by the names of the standard library.
template <class L>
concept SharesItself = requires(L l) {
  l.lock_shared();
  l.unlock_shared();
};

/// The operations of a queue of messages M that waits for nothing,
template <class Q, class M = queues::Bare>
inline constexpr std::array kPolledOperations{
    Operation{"a constructor from std::size_t, the size", std::constructible_from<Q, std::size_t>},
    Operation{"bool push(const Message&)",
              requires(Q q, const M& m) {
                { q.push(m) } -> std::convertible_to<bool>;
              }},
    Operation{"bool pop(Message&)",
              requires(Q q, M& m) {
                { q.pop(m) } -> std::convertible_to<bool>;
              }},
};

/// and of one that waits.
template <class Q, class M = queues::Bare>
inline constexpr std::array kWaitingOperations{
    Operation{"a constructor from std::size_t, the size", std::constructible_from<Q, std::size_t>},
    Operation{"bool send(const Message&)",
              requires(Q q, const M& m) {
                { q.send(m) } -> std::convertible_to<bool>;
              }},
    Operation{"bool take(Message&)",
              requires(Q q, M& m) {
                { q.take(m) } -> std::convertible_to<bool>;
              }},
    Operation{"void stop()", requires(Q q) { q.stop(); }},
};

template <class S>
concept OwnSignal = all(kSignalOperations<S>);
template <class L>
concept OwnLock = all(kLockOperations<L>) || all(kStandardLockOperations<L>);
template <class C>
concept OwnSteps = all(kBarrierOperations<C>);
template <class C>
concept OwnBarrier = OwnSteps<C> || all(kMeetingOperations<C>);
template <template <class> class Q>
concept OwnPolledQueue = all(kPolledOperations<Q<queues::Bare>>);
template <template <class> class Q>
concept OwnWaitingQueue = all(kWaitingOperations<Q<queues::Bare>>) && !OwnPolledQueue<Q>;

/// How many of the concepts of classes it meets.
template <class T>
inline constexpr int kConcepts = (OwnSignal<T> ? 1 : 0) + (OwnLock<T> ? 1 : 0) + (OwnBarrier<T> ? 1 : 0);

// What a class may say of itself, as `static constexpr bool`.

/// Whether a waiting thread sleeps in the kernel.
template <class T>
constexpr bool is_blocking() {
  if constexpr (requires { T::kBlocking; }) return T::kBlocking;
  return false;
}

template <class Q>
constexpr bool has_many_producers() {
  if constexpr (requires { Q::kManyProducers; }) return Q::kManyProducers;
  return false;
}

/// Whether its size must be a power of two.
template <class Q>
constexpr bool wants_power_of_two() {
  if constexpr (requires { Q::kPowerOfTwo; }) return Q::kPowerOfTwo;
  return false;
}

/// Whether it is ever full.
template <class Q>
constexpr bool is_bounded() {
  if constexpr (requires { Q::kBounded; }) return Q::kBounded;
  return true;
}

}  // namespace threadping::own
