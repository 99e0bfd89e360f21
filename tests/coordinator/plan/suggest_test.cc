#include "coordinator/plan/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace sysfleet {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"threads", "time", "warmup_time", "table_size",
                                                    "use"};

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("thread", "threads"), 1);
  EXPECT_EQ(EditDistance("tmie", "time"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("ca", "abc"), 3);
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"thread", "threads"},        {"tmie", "time"}, {"warmup", "warmup_time"},
      {"tabel_size", "table_size"}, {"used", "use"},  {"xyz", ""},
      {"range_size", ""},           {"", ""},
  };
  for (const auto& [word, nearest] : cases) EXPECT_EQ(Nearest(word, kWords), nearest) << word;
  EXPECT_EQ(Nearest(std::string(100'000, 't'), kWords), "");
}

TEST(Suggestion, ListsAllWhereNothingIsNear) {
  EXPECT_EQ(Suggestion("thread", kWords), "did you mean 'threads'?");
  EXPECT_EQ(Suggestion("xyz", kWords),
            "expected one of threads, time, warmup_time, table_size, use");
}

}  // namespace
}  // namespace sysfleet
