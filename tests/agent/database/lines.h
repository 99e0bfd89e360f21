// Rows to load: "1<tab>row 1", "2<tab>row 2" and so on, in pieces of different sizes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "agent/database/connection.h"

namespace sysfleet {

class Lines final : public CopySource {
 public:
  explicit Lines(int rows) : rows_(rows) {}

  /// Row `row` gets something that is no number for its key.
  void Break(int row) { broken_row_ = row; }

  void Rewind() { next_ = 1; }

  std::string_view Next() override {
    piece_.clear();
    // From one row to some thousand, in turn.
    piece_rows_ = piece_rows_ % 4096 * 2 + 1;
    for (int i = 0; i < piece_rows_ && next_ <= rows_; ++i, ++next_) {
      const std::string key = next_ == broken_row_ ? "broken" : std::to_string(next_);
      piece_ += fmt::format("{}\trow {}\n", key, next_);
    }
    return piece_;
  }

 private:
  const int rows_;
  int broken_row_ = 0;
  int next_ = 1;
  int piece_rows_ = 0;
  std::string piece_;
};

}  // namespace sysfleet
