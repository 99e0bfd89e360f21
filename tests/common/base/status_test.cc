#include "common/base/status.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

TEST(Status, AnnotatePutsTheContextInFrontAndKeepsTheCode) {
  const absl::Status status =
      Annotate(Annotate(absl::UnavailableError("connection refused"), "node n:2"), "agent a:1");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), "agent a:1: node n:2: connection refused");
}

TEST(Status, AnnotateLeavesOkAlone) {
  EXPECT_TRUE(Annotate(absl::OkStatus(), "agent a:1").ok());
  EXPECT_EQ(Message(absl::OkStatus()), "");
}

TEST(Status, ReturnIfErrorStopsAtTheFirst) {
  int reached = 0;
  const auto function = [&](const absl::Status& status) -> absl::Status {
    SYSFLEET_RETURN_IF_ERROR(status);
    ++reached;
    return absl::OkStatus();
  };
  EXPECT_TRUE(function(absl::OkStatus()).ok());
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(function(absl::NotFoundError("gone")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace sysfleet
