#pragma once

#include <utility>

namespace threadping::api {

/// A pointer in a struct of the program's that may not be null, and its name.
template <class Struct, class Pointer>
using Needed = std::pair<const char*, Pointer Struct::*>;

template <class Struct, class Pointer>
Needed<Struct, Pointer> needed(const char* name, Pointer Struct::* pointer) {
  return {name, pointer};
}

/// The name of the first of these that is null; null where all are there.
template <class Struct, class... Pointers>
const char* missing(const Struct& given, const Needed<Struct, Pointers>&... pointers) {
  const char* name = nullptr;
  (void)((given.*pointers.second == nullptr && (name = pointers.first, true)) || ...);
  return name;
}

}  // namespace threadping::api
