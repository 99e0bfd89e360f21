// Looks for the highest level (threads, or a rate) that keeps a limit: doubles it until it does
// not, narrows it down by halves, and measures what was found once more. Pure: outcomes go in, the
// level to measure next comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sysfleet {

/// What the cell of a level showed.
struct LevelOutcome {
  int64_t level = 0;
  double tps = 0;
  /// Why it does not keep the limit: "p99 24.1 ms"; empty: it does.
  std::string missed;
  bool is_client_limited = false;
};

class LevelSearch {
 public:
  /// 1 <= from <= to.
  LevelSearch(int64_t from, int64_t to) : to_(to), level_(from) {}

  /// The level to measure now; nothing once the search has ended.
  std::optional<int64_t> Next() const;

  /// What is measured now is what was found, for longer.
  bool confirming() const { return phase_ == Phase::kConfirming; }

  /// Of the level that Next named.
  void Add(const LevelOutcome& outcome);

  /// Once it has ended: the level that kept the limit also when it was confirmed, if any.
  std::optional<int64_t> answer() const { return answer_; }
  /// Why it is not higher: "112 missed the limit: p99 24.1 ms".
  const std::string& reason() const { return reason_; }

 private:
  enum class Phase : uint8_t { kGrowing, kNarrowing, kConfirming, kEnded };

  void OnKept(const LevelOutcome& outcome);
  void OnMissed(const LevelOutcome& outcome);
  void OnConfirmation(const LevelOutcome& outcome);
  void Narrow();
  void Confirm();

  const int64_t to_;
  Phase phase_ = Phase::kGrowing;
  int64_t level_;
  int64_t lowest_missed_ = 0;       // 0: none
  std::vector<LevelOutcome> kept_;  // in rising order of their levels
  std::optional<int64_t> answer_;
  std::string reason_;
};

}  // namespace sysfleet
