#include "coordinator/plan/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/base/status.h"
#include "tests/coordinator/plan/plan_files.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExpandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("SYSFLEET_TEST_A", "alpha", 1);
    setenv("SYSFLEET_TEST_EMPTY", "", 1);
    setenv("SYSFLEET_TEST_DOLLAR", "x$", 1);
    unsetenv("SYSFLEET_TEST_NONE");
  }

  PlanFiles files_;
};

TEST_F(ExpandTest, PutsVariablesAndFilesInPlace) {
  files_.Write("secret", "from file\r\n\n");
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"plain $ {text}", "plain $ {text}"},
      {"${env:SYSFLEET_TEST_A}", "alpha"},
      {"<${env:SYSFLEET_TEST_A}${env:SYSFLEET_TEST_EMPTY}>", "<alpha>"},
      {"${file:secret}", "from file"},
      {"$${env:SYSFLEET_TEST_A}", "${env:SYSFLEET_TEST_A}"},
      {"${env:SYSFLEET_TEST_DOLLAR}${env:SYSFLEET_TEST_A}", "x$alpha"},
  };
  for (const auto& [text, expanded] : cases) {
    const auto result = Expand(text, files_.directory());
    ASSERT_TRUE(result.ok()) << text << ": " << Message(result.status());
    EXPECT_EQ(result->text, expanded) << text;
  }
}

TEST_F(ExpandTest, TellsWhatWasSubstituted) {
  EXPECT_THAT(Expand("a ${env:SYSFLEET_TEST_A} b", "")->substituted, ElementsAre("alpha"));
  EXPECT_THAT(Expand("a $${x} b", "")->substituted, IsEmpty());
}

TEST_F(ExpandTest, TakesAnAbsolutePathAsItIs) {
  files_.Write("secret", "s");
  EXPECT_EQ(Expand("${file:" + files_.PathOf("secret") + "}", "/nowhere")->text, "s");
}

TEST_F(ExpandTest, SaysWhatIsMissing) {
  files_.Write("binary", std::string("a\0b", 3));
  files_.Write("large", std::string(64 * 1024 + 1, 'x'));
  const std::pair<std::string, std::string> cases[] = {
      {"${env:SYSFLEET_TEST_NONE}",
       "environment variable 'SYSFLEET_TEST_NONE' is not set; export it first"},
      {"${file:none}",
       "cannot read file '" + files_.PathOf("none") + "': No such file or directory"},
      {"${file:.}", "cannot read file '" + files_.PathOf("") + "': Is a directory"},
      {"${file:binary}", "file '" + files_.PathOf("binary") + "' is not text"},
      {"${file:large}", "cannot read file '" + files_.PathOf("large") + "': larger than 64 KiB"},
      {"${DB_PASSWORD}",
       "expected ${env:NAME} or ${file:PATH}, got '${DB_PASSWORD}'; write $${ for a literal ${"},
      {"${env:}",
       "expected ${env:NAME} or ${file:PATH}, got '${env:}'; write $${ for a literal ${"},
      {"${env:X", "a '${' without its '}'; write $${ for a literal ${"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(Message(Expand(text, files_.directory()).status()), message) << text;
  }
}

}  // namespace
}  // namespace sysfleet
