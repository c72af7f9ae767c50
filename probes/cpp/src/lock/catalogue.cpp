#include "lock/catalogue.hpp"

#include <tuple>

#include "lock/mechanism.hpp"
#include "lock/mechanisms.hpp"

namespace threadping::lock {
namespace {

template <class Cell>
std::unique_ptr<Cells> make(const Params& params, std::size_t count, std::size_t threads) {
  return std::make_unique<CellsOf<Cell>>(params, count, threads);
}

template <Lock... L>
void add(std::vector<Entry>& entries, std::tuple<L...>* /*list*/) {
  (entries.push_back({.info = L::kInfo, .make = make<Guarded<L>>}), ...);
}

template <Counter... C>
void add(std::vector<Entry>& entries, std::tuple<C...>* /*list*/) {
  (entries.push_back({.info = C::kInfo, .make = make<Unguarded<C>>}), ...);
}

std::vector<Entry> all() {
  std::vector<Entry> entries;
  add(entries, static_cast<Locks*>(nullptr));
  add(entries, static_cast<Counters*>(nullptr));
  return entries;
}

}  // namespace

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = all();
  return entries;
}

}  // namespace threadping::lock
