#include "coordinator/plan/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace sysfleet {
namespace {

// Longer words are no slips of the finger; the bound keeps hostile files from costing time.
constexpr size_t kWordMax = 64;

}  // namespace

int EditDistance(std::string_view from, std::string_view to) {
  // Three rows of the table of optimal string alignment: a swap looks two rows back.
  std::vector<int> before_last(to.size() + 1);
  std::vector<int> last(to.size() + 1);
  std::vector<int> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= from.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= to.size(); ++j) {
      const int replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[to.size()];
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kWordMax) return {};
  const int distance_max = std::max(1, static_cast<int>(word.size()) / 4);
  int best_distance = distance_max + 1;
  std::string_view best;
  for (const std::string_view candidate : known) {
    const bool beginning = word.size() >= 3 && candidate.starts_with(word);
    const int distance = beginning ? std::min(distance_max, EditDistance(word, candidate))
                                   : EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string Suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (const std::string_view nearest = Nearest(word, known); !nearest.empty()) {
    return fmt::format("did you mean '{}'?", nearest);
  }
  return fmt::format("expected one of {}", fmt::join(known, ", "));
}

}  // namespace sysfleet
