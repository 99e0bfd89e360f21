// The table of options: what it says of each, and that the documentation says the same.
#include "coordinator/sysbench/options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace sysfleet {
namespace {

constexpr std::string_view kBegin = "<!-- options -->\n";
constexpr std::string_view kEnd = "<!-- end of options -->\n";

std::string Code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

std::string MeaningAndNote(const OptionSpec& spec) {
  switch (spec.use) {
    case OptionUse::kIgnored:
      return fmt::format("{}. No effect: {}", spec.meaning, spec.note);
    case OptionUse::kRefused:
      return fmt::format("{}. Refused: {}", spec.meaning, spec.note);
    default:
      return spec.note.empty() ? std::string(spec.meaning)
                               : fmt::format("{}. **{}**", spec.meaning, spec.note);
  }
}

std::string OptionTable() {
  std::string text;
  const OptionGroup* group = nullptr;
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    if (group == nullptr || *group != spec.group) {
      text += fmt::format(
          "{}### {}\n\n| Option | Default | In the plan | Meaning, **difference** "
          "|\n|---|---|---|---|\n",
          group == nullptr ? "" : "\n", ToString(spec.group));
    }
    group = &spec.group;
    text += fmt::format("| `--{}` | {} | {} | {} |\n", spec.name, Code(spec.initial),
                        Code(spec.plan_key), MeaningAndNote(spec));
  }
  return text;
}

TEST(OptionsTest, DocumentationHasTheTable) {
  std::ostringstream text;
  text << std::ifstream("docs/sysbench.md").rdbuf();
  const std::string page = text.str();
  const size_t begin = page.find(kBegin);
  const size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const size_t first = begin + kBegin.size();
  EXPECT_EQ(page.substr(first, end - first), "\n" + OptionTable() + "\n")
      << "docs/sysbench.md needs between its marks:\n"
      << OptionTable();
}

TEST(OptionsTest, EveryNameIsThereOnceAndFoundInBothSpellings) {
  std::set<std::string> names;
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    EXPECT_TRUE(names.insert(CanonicalName(spec.name)).second) << spec.name;
    EXPECT_EQ(FindOption(CanonicalName(spec.name)), &spec);
    EXPECT_EQ(FindOption(spec.name), &spec);
  }
  EXPECT_EQ(FindOption("no-such"), nullptr);
}

TEST(OptionsTest, WhatCannotBeSaysWhyAndWhatGoesIntoThePlanSaysWhere) {
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    const bool useless = spec.use == OptionUse::kIgnored || spec.use == OptionUse::kRefused;
    EXPECT_TRUE(!useless || !spec.note.empty()) << spec.name;
    const bool mapped = spec.use == OptionUse::kPlain || spec.use == OptionUse::kSeconds ||
                        spec.use == OptionUse::kOwnRule;
    EXPECT_EQ(mapped, !spec.plan_key.empty()) << spec.name;
    EXPECT_FALSE(spec.meaning.empty()) << spec.name;
  }
}

TEST(OptionsTest, OptionsOfTheOtherDriver) {
  EXPECT_TRUE(IsOfOtherDriver(*FindOption("mysql-ssl"), "pgsql"));
  EXPECT_FALSE(IsOfOtherDriver(*FindOption("mysql-ssl"), "mysql"));
  EXPECT_TRUE(IsOfOtherDriver(*FindOption("mysql_storage_engine"), "pgsql"));
  EXPECT_TRUE(IsOfOtherDriver(*FindOption("pgsql-host"), "mysql"));
  EXPECT_TRUE(IsOfOtherDriver(*FindOption("serial_cache_size"), "mysql"));
  EXPECT_FALSE(IsOfOtherDriver(*FindOption("threads"), "mysql"));
}

}  // namespace
}  // namespace sysfleet
