#include "signal/catalogue.hpp"

#include <tuple>

#include "signal/mechanisms.hpp"
#include "signal/mechanisms/between.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/waits/backoff.hpp"
#include "signal/waits/pause.hpp"
#include "signal/waits/spin.hpp"
#include "signal/waits/yield.hpp"

namespace threadping::signal {
namespace {

template <SignalMechanism M>
std::unique_ptr<Cells> make(const Params& params, std::size_t count) {
  return std::make_unique<CellsOf<M>>(params, count, sharing_of(params));
}

template <class Protocol>
std::unique_ptr<Cells> make_with_wait(const Params& params, std::size_t count) {
  const std::string_view wait = params.text("wait");
  if (wait == "pause") return make<LockFree<Protocol, Pause>>(params, count);
  if (wait == "yield") return make<LockFree<Protocol, Yield>>(params, count);
  if (wait == "backoff") return make<LockFree<Protocol, Backoff>>(params, count);
  return make<LockFree<Protocol, Spin>>(params, count);
}

template <class... Protocol>
void add_lock_free(std::vector<Entry>& entries, std::tuple<Protocol...>* /*list*/) {
  (entries.push_back({.info = LockFree<Protocol, Spin>::kInfo, .make = make_with_wait<Protocol>}), ...);
}

template <class... M>
void add_blocking(std::vector<Entry>& entries, std::tuple<M...>* /*list*/) {
  (entries.push_back({.info = M::kInfo, .make = make<M>}), ...);
}

std::vector<Entry> all() {
  std::vector<Entry> entries;
  add_lock_free(entries, static_cast<LockFreeProtocols*>(nullptr));
  add_blocking(entries, static_cast<BlockingMechanisms*>(nullptr));
  return entries;
}

}  // namespace

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = all();
  return entries;
}

}  // namespace threadping::signal
