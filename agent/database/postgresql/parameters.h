// The parameters of a statement in the form that libpq takes: binary, integers big-endian.
// The arrays are made once and written anew for every statement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/database/value.h"

namespace sysfleet {

class Parameters {
 public:
  /// Makes room for lists of up to `count`.
  void Reserve(size_t count);

  /// Texts are pointed at, not copied: they must live until libpq has taken them.
  void Encode(std::span<const ParameterType> types, std::span<const Value> values);

  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  std::vector<uint64_t> integers_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

/// The number of the server's type; 0 where the server infers it from what the parameter is
/// compared with or assigned to.
unsigned ServerType(ParameterType type);

}  // namespace sysfleet
