// One line about what is going on. On a terminal it is replaced in place, once a second; elsewhere
// it is printed every ten seconds, so that a log stays readable. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace sysfleet {

class StatusLine {
 public:
  /// Asks whether `out` is a terminal.
  explicit StatusLine(std::FILE* out);

  /// Whether it is time to show a new one; asking costs nothing else.
  bool IsDue() const;
  void Show(const std::string& text);
  /// Prints lines that stay, above the status line's place.
  void Print(const std::string& lines);
  /// A new phase begins: the next line may come at once on a terminal, after the interval
  /// elsewhere.
  void Reset();

 private:
  void Clear();

  std::FILE* const out_;
  const bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// What of a line of ASCII fits into `columns`, the cursor behind it.
std::string Shortened(const std::string& text, size_t columns);

}  // namespace sysfleet
