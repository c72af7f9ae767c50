#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "contract/request.hpp"
#include "engine/experiment.hpp"

namespace threadping {

namespace signal {
/// What it costs one thread to signal another: ping signals pong, which signals ping, again and again.
const engine::Experiment& experiment();
}  // namespace signal

namespace lock {
/// What becomes of a lock, or of a counter without one, when threads contend for it.
const engine::Experiment& experiment();
}  // namespace lock

namespace wakeup {
/// Notifiers call waiters that sleep, each its own. What does the call cost, and how long until one is awake?
const engine::Experiment& experiment();
}  // namespace wakeup

namespace queue {
/// Producers send a stream of messages to consumers as fast as these take them. How many go through, in what batches,
/// and how long is a message on its way?
const engine::Experiment& experiment();
}  // namespace queue

namespace load {
/// A sender sends messages on a schedule, whether or not the receiver keeps up. How long after it was due is each
/// there?
const engine::Experiment& experiment();
}  // namespace load

namespace barrier {
/// A coordinator releases all other threads and waits until all have done their part. What does that cost it, when does
/// the first run and when the last, and when are all done?
const engine::Experiment& experiment();
}  // namespace barrier

namespace network {
/// A message goes to a far end, which sends it back: over this host's loopback, or to another host.
const engine::Experiment& experiment();

/// The far end for other hosts: listens at this address, writes `PORT NONCE` to standard output, and serves for this
/// number of seconds. Throws Failure(unsupported).
void serve(const std::string& host, std::uint64_t seconds);
}  // namespace network

namespace jitter {
/// Threads read the clock without a break. How long, how often and why do they not run?
const engine::Experiment& experiment();
}  // namespace jitter

namespace self_test {
/// `signal` with known delays and stalls in pong: does what is measured grow by as much as was planted?
const engine::Experiment& experiment();
}  // namespace self_test

/// Every experiment: a new one is a folder and a line here.
std::span<const engine::Experiment* const> experiments();

/// The one that is asked for. Throws Failure(unknown_experiment).
const engine::Experiment& experiment_for(const contract::Request& request);

/// What this probe is and these are, as description.hpp says.
std::string describe_probe(std::span<const engine::Experiment* const> experiments);

}  // namespace threadping
