#include "common/base/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/base/status.h"

namespace sysfleet {
namespace {

using ::testing::HasSubstr;

TEST(Endpoint, ParsesHostAndPort) {
  struct Case {
    std::string text;
    uint16_t default_port;
    Endpoint expected;
  };
  const Case cases[] = {
      {"db-1:3306", 0, {"db-1", 3306}},
      {"db-1:3306", 5432, {"db-1", 3306}},
      {"db-1", 5432, {"db-1", 5432}},
      {"db-1.example.com:1", 0, {"db-1.example.com", 1}},
      {"10.0.0.1:65535", 0, {"10.0.0.1", 65535}},
      {"[::1]:5432", 0, {"::1", 5432}},
      {"[::1]", 7070, {"::1", 7070}},
      {"[fe80::1%eth0]:7070", 0, {"fe80::1%eth0", 7070}},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(c.text, c.default_port);
    ASSERT_TRUE(endpoint.ok()) << c.text << ": " << endpoint.status();
    EXPECT_EQ(*endpoint, c.expected) << c.text;
  }
}

TEST(Endpoint, RefusesJunkAndRepeatsIt) {
  struct Case {
    std::string text;
    uint16_t default_port;
  };
  const Case cases[] = {
      {"", 5432},           {":", 5432},          {":3306", 5432},      {"db-1:", 5432},
      {"db-1", 0},          {"db-1:0", 5432},     {"db-1:65536", 5432}, {"db-1:99999999999", 5432},
      {"db-1:-1", 5432},    {"db-1:+1", 5432},    {"db-1:33o6", 5432},  {"db-1: 3306", 5432},
      {"::1", 5432},        {"::1:5432", 5432},   {"a:1:2", 5432},      {"[::1", 5432},
      {"[::1]5432", 5432},  {"[]:5432", 5432},    {"[::1]:", 5432},     {"db 1:3306", 5432},
      {"db-1:3306 ", 5432}, {" db-1:3306", 5432}, {"]:1", 5432},        {"db-1]:1", 5432},
      {"db\n1:3306", 5432}, {"http://db-1", 80},  {"root@db-1", 5432},  {"db-1/x:1", 5432},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(c.text, c.default_port);
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(Message(endpoint.status()), HasSubstr("'" + c.text + "'"));
  }
}

TEST(Endpoint, TextParsesBackToTheSame) {
  for (const Endpoint& endpoint : {Endpoint{"db-1", 1}, {"10.0.0.1", 65535}, {"fe80::1%x", 7070}}) {
    const absl::StatusOr<Endpoint> parsed = ParseEndpoint(ToString(endpoint), 0);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, endpoint);
  }
  EXPECT_EQ(ToString({"db-1", 3306}), "db-1:3306");
  EXPECT_EQ(ToString({"::1", 5432}), "[::1]:5432");
}

TEST(Endpoint, KnowsLoopback) {
  for (const std::string host : {"localhost", "127.0.0.1", "127.8.9.10", "::1"}) {
    EXPECT_TRUE(IsLoopback({host, 1})) << host;
  }
  for (const std::string host :
       {"", "128.0.0.1", "0.0.0.0", "10.127.0.0", "::", "::2", "127.0.0.1.example.com", "db-1",
        "localhost.example.com", "127.1"}) {
    EXPECT_FALSE(IsLoopback({host, 1})) << host;
  }
}

}  // namespace
}  // namespace sysfleet
