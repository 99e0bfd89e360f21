// What a null server has made of each SQL text. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sysfleet {

/// `Prepared` is made from the SQL text alone.
template <typename Prepared>
class StatementCache {
 public:
  /// Stays as long as the cache.
  const Prepared& Get(std::string_view sql) {
    const auto found = by_sql_.find(sql);
    if (found != by_sql_.end()) return found->second;
    return by_sql_.emplace(std::string(sql), Prepared(sql)).first->second;
  }

  /// For text that is executed once: stays until the next call, so that texts which are all
  /// different do not pile up.
  const Prepared& GetOnce(std::string_view sql) {
    const auto found = by_sql_.find(sql);
    if (found != by_sql_.end()) return found->second;
    if (by_sql_.size() < kKeptMax) return Get(sql);
    return passing_.emplace(sql);
  }

 private:
  static constexpr size_t kKeptMax = 10'000;

  std::map<std::string, Prepared, std::less<>> by_sql_;
  std::optional<Prepared> passing_;
};

}  // namespace sysfleet
