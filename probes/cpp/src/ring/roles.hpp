#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "crew/experiment.hpp"
#include "crew/recorder.hpp"
#include "platform/lines.hpp"
#include "ring/books.hpp"
#include "ring/shape.hpp"

namespace threadping::ring {

/// What is the same whatever the mechanism, and compiled once: who the threads are, and what is counted of them. Thread
/// 0 is a producer and thread 1 a consumer; all further ones are what there are several of.
class Roles : public crew::Loops {
 public:
  Roles(const Shape& shape, std::size_t lines);

  [[nodiscard]] std::size_t role(std::size_t thread, std::size_t /*roles*/) const final {
    return is_producer(thread) ? 0 : 1;
  }
  [[nodiscard]] bool times_all(std::size_t thread) const final { return !is_producer(thread); }
  [[nodiscard]] bool counted(std::size_t thread) const final { return is_producer(thread); }

  /// From here on it is recorded how much is taken at once.
  void begin() final;

  std::uint64_t progress(std::size_t line) final { return books_[line].progress(); }
  message::Counts counts(std::uint64_t made) final;
  message::Distributions distributions() final;

 protected:
  [[nodiscard]] bool is_producer(std::size_t thread) const {
    return thread == 0 || (thread > 1 && shape_.consumers == 1);
  }

  /// Among those of its role.
  static std::size_t index_of(std::size_t thread) { return thread > 1 ? thread - 1 : 0; }

  /// Of a consumer; null before measuring begins.
  crew::Recorder* batches_of(std::size_t consumer) {
    auto& sizes = batches_[consumer].sizes;
    return sizes ? &*sizes : nullptr;
  }

  [[nodiscard]] const Shape& shape() const { return shape_; }
  Books& books_of(std::size_t line) { return books_[line]; }

 private:
  /// Whether stop() was called for it.
  virtual bool stopped(std::size_t line) = 0;

  /// How many messages a consumer took at once.
  struct alignas(platform::kLinePair) Batches {
    std::optional<crew::Recorder> sizes;
  };

  const Shape shape_;
  platform::Lines<Books> books_;
  std::vector<Batches> batches_;
};

}  // namespace threadping::ring
