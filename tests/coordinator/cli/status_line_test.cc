#include "coordinator/cli/status_line.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace sysfleet {
namespace {

TEST(Shortened, LeavesRoomForTheCursor) {
  EXPECT_EQ(Shortened("12345", 80), "12345");
  EXPECT_EQ(Shortened("12345", 6), "12345");
  EXPECT_EQ(Shortened("12345", 5), "1234");
  EXPECT_EQ(Shortened("", 1), "");
}

// What a log gets: lines, and no control characters.
TEST(StatusLine, PrintsWholeLinesWhereThereIsNoTerminal) {
  std::FILE* out = std::tmpfile();
  {
    StatusLine line(out);
    EXPECT_FALSE(line.IsDue());  // a short phase needs no line in a log
    line.Show("working");
    line.Print("done\n");
    line.Reset();
  }
  std::rewind(out);
  std::string read;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) read += static_cast<char>(c);
  std::fclose(out);
  EXPECT_EQ(read, "working\ndone\n");
}

}  // namespace
}  // namespace sysfleet
