// The plan's words for its choices, and back. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "coordinator/plan/plan.h"

namespace sysfleet {

/// One way to write a value. Of several names of a value the first is its own, others are aliases.
template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

std::span<const Named<Driver>> DriverNames();
std::span<const Named<Flavor>> FlavorNames();
std::span<const Named<TlsPolicy>> TlsNames();
std::span<const Named<LoadMethod>> LoadMethodNames();
std::span<const Named<RandType>> RandTypeNames();
std::span<const Named<DatasetSchema>> DatasetSchemaNames();
std::span<const Named<IdType>> IdTypeNames();
std::span<const Named<IndexTime>> IndexTimeNames();
std::span<const Named<PsMode>> PsModeNames();
std::span<const Named<ArrivalProcess>> ArrivalProcessNames();
std::span<const Named<SweepOrder>> SweepOrderNames();
std::span<const Named<SearchDimension>> SearchDimensionNames();

std::string_view ToString(Driver driver);
std::string_view ToString(Flavor flavor);
std::string_view ToString(TlsPolicy tls);
std::string_view ToString(LoadMethod method);
std::string_view ToString(RandType type);
std::string_view ToString(DatasetSchema schema);
std::string_view ToString(IdType type);
std::string_view ToString(IndexTime time);
std::string_view ToString(PsMode mode);
std::string_view ToString(ArrivalProcess process);
std::string_view ToString(SweepOrder order);
std::string_view ToString(SearchDimension dimension);

/// The driver that a server of this kind speaks.
Driver DriverOf(Flavor flavor);

/// The flavor of a driver's own server.
Flavor DefaultFlavor(Driver driver);

/// Where a server of this kind listens when nobody says otherwise.
uint16_t DefaultPort(Flavor flavor);

}  // namespace sysfleet
