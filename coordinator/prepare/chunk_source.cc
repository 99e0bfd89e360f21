#include "coordinator/prepare/chunk_source.h"

#include <utility>

namespace sysfleet {

void ChunkSource::Add(int table, std::vector<RowRange> missing) {
  sources_.push_back({table, RowCutter(std::move(missing), chunk_rows_)});
}

std::optional<TableRows> ChunkSource::Next() {
  while (!sources_.empty()) {
    if (turn_ >= sources_.size()) turn_ = 0;
    Source& source = sources_[turn_];
    if (const std::optional<RowRange> rows = source.cutter.Next()) {
      ++turn_;
      return TableRows{source.table, *rows};
    }
    sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(turn_));
  }
  return std::nullopt;
}

}  // namespace sysfleet
