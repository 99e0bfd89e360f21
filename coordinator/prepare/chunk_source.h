// The chunks of all tables of a load, table after table in turn, so that neighbouring chunks go to
// different tables and no table is a bottleneck. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/prepare/row_ranges.h"

namespace sysfleet {

struct TableRows {
  int table = 0;
  RowRange rows;
};

class ChunkSource {
 public:
  explicit ChunkSource(int64_t chunk_rows) : chunk_rows_(chunk_rows) {}

  /// These rows of a table will have to be loaded.
  void Add(int table, std::vector<RowRange> missing);

  /// The next chunk, or nothing once all have been given.
  std::optional<TableRows> Next();

 private:
  struct Source {
    int table = 0;
    RowCutter cutter;
  };

  int64_t chunk_rows_;
  std::vector<Source> sources_;
  size_t turn_ = 0;
};

}  // namespace sysfleet
