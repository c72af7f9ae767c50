#include "platform/lines.hpp"

namespace threadping::platform {
namespace {

std::size_t bounded(std::size_t bytes) {
  refuse_excess(bytes, "the cells", "ask for fewer lines or threads, or for a smaller buffer");
  return bytes;
}

}  // namespace

CellPool::CellPool(std::size_t count, Sharing sharing, std::size_t head, std::size_t extra)
    : footprint_(head + (extra + kLinePair - 1) / kLinePair * kLinePair), memory_(bounded(count * stride()), sharing) {}

CellPool::~CellPool() {
  if (destroy_ == nullptr) return;
  for (std::size_t index = 0; index < made_; ++index) destroy_(place_of(index));
}

void CellPool::fill(std::size_t count, std::size_t head, void (*make)(void* context, void* place, std::byte* extra),
                    void* context, void (*destroy)(void* place)) {
  destroy_ = destroy;
  for (; made_ < count; ++made_) make(context, place_of(made_), place_of(made_) + head);
}

}  // namespace threadping::platform
