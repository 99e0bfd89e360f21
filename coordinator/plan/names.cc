#include "coordinator/plan/names.h"

#include <algorithm>
#include <array>

namespace sysfleet {
namespace {

constexpr std::array kDrivers = {
    Named<Driver>{"mysql", Driver::kMysql},
    Named<Driver>{"postgresql", Driver::kPostgresql},
    Named<Driver>{"pgsql", Driver::kPostgresql},
};

constexpr std::array kFlavors = {
    Named<Flavor>{"postgresql", Flavor::kPostgresql},
    Named<Flavor>{"yugabytedb", Flavor::kYugabytedb},
    Named<Flavor>{"cockroachdb", Flavor::kCockroachdb},
    Named<Flavor>{"mysql", Flavor::kMysql},
    Named<Flavor>{"mariadb", Flavor::kMariadb},
    Named<Flavor>{"tdstore", Flavor::kTdstore},
    Named<Flavor>{"tidb", Flavor::kTidb},
    Named<Flavor>{"oceanbase", Flavor::kOceanbase},
};

constexpr std::array kTls = {
    Named<TlsPolicy>{"disable", TlsPolicy::kDisable},
    Named<TlsPolicy>{"prefer", TlsPolicy::kPrefer},
    Named<TlsPolicy>{"require", TlsPolicy::kRequire},
};

constexpr std::array kLoadMethods = {
    Named<LoadMethod>{"auto", LoadMethod::kAuto},
    Named<LoadMethod>{"copy", LoadMethod::kCopy},
    Named<LoadMethod>{"insert", LoadMethod::kInsert},
    Named<LoadMethod>{"local_infile", LoadMethod::kLocalInfile},
};

constexpr std::array kRandTypes = {
    Named<RandType>{"uniform", RandType::kUniform},
    Named<RandType>{"gaussian", RandType::kGaussian},
    Named<RandType>{"special", RandType::kSpecial},
    Named<RandType>{"pareto", RandType::kPareto},
    Named<RandType>{"zipfian", RandType::kZipfian},
    Named<RandType>{"scrambled_zipfian", RandType::kScrambledZipfian},
};

constexpr std::array kSchemas = {
    Named<DatasetSchema>{"sbtest", DatasetSchema::kSbtest},
    Named<DatasetSchema>{"bulk_insert", DatasetSchema::kBulkInsert},
};

constexpr std::array kIdTypes = {
    Named<IdType>{"int32", IdType::kInt32},
    Named<IdType>{"int64", IdType::kInt64},
};

constexpr std::array kIndexTimes = {
    Named<IndexTime>{"after", IndexTime::kAfter},
    Named<IndexTime>{"before", IndexTime::kBefore},
};

constexpr std::array kPsModes = {
    Named<PsMode>{"auto", PsMode::kAuto},
    Named<PsMode>{"disable", PsMode::kDisable},
};

constexpr std::array kArrivalProcesses = {
    Named<ArrivalProcess>{"poisson", ArrivalProcess::kPoisson},
    Named<ArrivalProcess>{"even", ArrivalProcess::kEven},
};

constexpr std::array kSweepOrders = {
    Named<SweepOrder>{"written", SweepOrder::kWritten},
    Named<SweepOrder>{"interleaved", SweepOrder::kInterleaved},
    Named<SweepOrder>{"shuffled", SweepOrder::kShuffled},
};

constexpr std::array kSearchDimensions = {
    Named<SearchDimension>{"threads", SearchDimension::kThreads},
    Named<SearchDimension>{"rate", SearchDimension::kRate},
};

/// Every value has a name in its list.
template <typename Names, typename Value>
std::string_view NameOf(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(),
                      [&](const Named<Value>& name) { return name.value == value; })
      ->name;
}

}  // namespace

std::span<const Named<Driver>> DriverNames() {
  return kDrivers;
}

std::span<const Named<Flavor>> FlavorNames() {
  return kFlavors;
}

std::span<const Named<TlsPolicy>> TlsNames() {
  return kTls;
}

std::span<const Named<LoadMethod>> LoadMethodNames() {
  return kLoadMethods;
}

std::span<const Named<RandType>> RandTypeNames() {
  return kRandTypes;
}

std::span<const Named<DatasetSchema>> DatasetSchemaNames() {
  return kSchemas;
}

std::span<const Named<IdType>> IdTypeNames() {
  return kIdTypes;
}

std::span<const Named<IndexTime>> IndexTimeNames() {
  return kIndexTimes;
}

std::span<const Named<PsMode>> PsModeNames() {
  return kPsModes;
}

std::span<const Named<ArrivalProcess>> ArrivalProcessNames() {
  return kArrivalProcesses;
}

std::span<const Named<SweepOrder>> SweepOrderNames() {
  return kSweepOrders;
}

std::span<const Named<SearchDimension>> SearchDimensionNames() {
  return kSearchDimensions;
}

std::string_view ToString(Driver driver) {
  return NameOf(kDrivers, driver);
}

std::string_view ToString(Flavor flavor) {
  return NameOf(kFlavors, flavor);
}

std::string_view ToString(TlsPolicy tls) {
  return NameOf(kTls, tls);
}

std::string_view ToString(LoadMethod method) {
  return NameOf(kLoadMethods, method);
}

std::string_view ToString(RandType type) {
  return NameOf(kRandTypes, type);
}

std::string_view ToString(DatasetSchema schema) {
  return NameOf(kSchemas, schema);
}

std::string_view ToString(IdType type) {
  return NameOf(kIdTypes, type);
}

std::string_view ToString(IndexTime time) {
  return NameOf(kIndexTimes, time);
}

std::string_view ToString(PsMode mode) {
  return NameOf(kPsModes, mode);
}

std::string_view ToString(ArrivalProcess process) {
  return NameOf(kArrivalProcesses, process);
}

std::string_view ToString(SweepOrder order) {
  return NameOf(kSweepOrders, order);
}

std::string_view ToString(SearchDimension dimension) {
  return NameOf(kSearchDimensions, dimension);
}

Driver DriverOf(Flavor flavor) {
  switch (flavor) {
    case Flavor::kPostgresql:
    case Flavor::kYugabytedb:
    case Flavor::kCockroachdb:
      return Driver::kPostgresql;
    case Flavor::kMysql:
    case Flavor::kMariadb:
    case Flavor::kTdstore:
    case Flavor::kTidb:
    case Flavor::kOceanbase:
      break;
  }
  return Driver::kMysql;
}

Flavor DefaultFlavor(Driver driver) {
  return driver == Driver::kPostgresql ? Flavor::kPostgresql : Flavor::kMysql;
}

uint16_t DefaultPort(Flavor flavor) {
  switch (flavor) {
    case Flavor::kYugabytedb:
      return 5433;
    case Flavor::kCockroachdb:
      return 26257;
    case Flavor::kTidb:
      return 4000;
    default:
      return DriverOf(flavor) == Driver::kPostgresql ? 5432 : 3306;
  }
}

}  // namespace sysfleet
