#include "agent/database/postgresql/parameters.h"

#include <bit>
#include <cstring>

namespace sysfleet {
namespace {

constexpr int kBinary = 1;

static_assert(std::endian::native == std::endian::little, "integers are swapped for the network");

}  // namespace

void Parameters::Reserve(size_t count) {
  integers_.resize(count);
  values_.resize(count);
  lengths_.resize(count);
  formats_.assign(count, kBinary);
}

void Parameters::Encode(std::span<const ParameterType> types, std::span<const Value> values) {
  for (size_t i = 0; i < types.size(); ++i) {
    switch (types[i]) {
      case ParameterType::kInt32: {
        const uint32_t number = __builtin_bswap32(static_cast<uint32_t>(values[i].integer));
        std::memcpy(&integers_[i], &number, sizeof number);
        values_[i] = reinterpret_cast<const char*>(&integers_[i]);
        lengths_[i] = sizeof number;
        break;
      }
      case ParameterType::kInt64:
        integers_[i] = __builtin_bswap64(static_cast<uint64_t>(values[i].integer));
        values_[i] = reinterpret_cast<const char*>(&integers_[i]);
        lengths_[i] = sizeof integers_[i];
        break;
      case ParameterType::kText:
        // To libpq no pointer is NULL, not an empty text.
        values_[i] = values[i].text.empty() ? "" : values[i].text.data();
        lengths_[i] = static_cast<int>(values[i].text.size());
        break;
    }
  }
}

unsigned ServerType(ParameterType type) {
  // The first two are the same numbers on every server of the family.
  constexpr unsigned kInt8 = 20;
  constexpr unsigned kInt4 = 23;
  constexpr unsigned kInferred = 0;
  switch (type) {
    case ParameterType::kInt32:
      return kInt4;
    case ParameterType::kInt64:
      return kInt8;
    case ParameterType::kText:
      return kInferred;
  }
  return kInferred;
}

}  // namespace sysfleet
