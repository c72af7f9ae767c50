#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace threadping::platform {

/// A small file of the kernel that is read again and again, each time from its start and with one system call, into
/// memory that is taken when it is opened.
class KeptOpen {
 public:
  /// Where it cannot be opened there is nothing to read.
  explicit KeptOpen(const std::string& path);
  KeptOpen(const KeptOpen&) = delete;
  KeptOpen& operator=(const KeptOpen&) = delete;
  KeptOpen(KeptOpen&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}
  KeptOpen& operator=(KeptOpen&&) = delete;
  ~KeptOpen();

  /// What is in it now, until it is read again; nothing where it cannot be read.
  [[nodiscard]] std::string_view read();

 private:
  int descriptor_;
  std::vector<char> buffer_;
};

}  // namespace threadping::platform
