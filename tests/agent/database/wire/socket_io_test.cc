#include "agent/database/socket_io.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// Two ends of a connection over loopback; ours does not block.
class SocketIoTest : public testing::Test {
 protected:
  void SetUp() override {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listener, generic, size), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    ASSERT_EQ(getsockname(listener, generic, &size), 0);
    ours_ = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(connect(ours_, generic, size), 0);
    theirs_ = accept(listener, nullptr, nullptr);
    ASSERT_GE(theirs_, 0);
    close(listener);
    fcntl(ours_, F_SETFL, O_NONBLOCK);
  }
  void TearDown() override {
    close(ours_);
    if (theirs_ >= 0) close(theirs_);
  }

  void WaitUntilReadable() {
    pollfd event{.fd = ours_, .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&event, 1, 60'000), 1);
  }

  // The first socket of a machine that asks for times has to wait a little until it gets them.
  void WaitUntilTimesAreNoted() {
    const int64_t deadline_ns = SteadyNanos() + 60 * kNanosPerSecond;
    while (SteadyNanos() < deadline_ns) {
      ASSERT_EQ(send(theirs_, "x", 1, 0), 1);
      WaitUntilReadable();
      const auto received = ReceiveSome(ours_);
      ASSERT_TRUE(received.has_value());
      if (received->arrival_ns != 0) return;
    }
    FAIL() << "the kernel notes no times";
  }

  int ours_ = -1;
  int theirs_ = -1;
};

TEST_F(SocketIoTest, TellsNothingFromTheEnd) {
  const auto nothing = ReceiveSome(ours_);
  ASSERT_TRUE(nothing.has_value());
  EXPECT_TRUE(nothing->bytes.empty());
  ASSERT_EQ(send(theirs_, "abc", 3, 0), 3);
  WaitUntilReadable();
  const auto some = ReceiveSome(ours_);
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->bytes, "abc");
  EXPECT_EQ(some->arrival_ns, 0);  // nobody has asked for it
  close(std::exchange(theirs_, -1));
  WaitUntilReadable();
  EXPECT_FALSE(ReceiveSome(ours_).has_value());
}

TEST_F(SocketIoTest, ArrivalIsWhenBytesCameAndNotWhenTheyAreRead) {
  AskForArrivalTimes(ours_);
  WaitUntilTimesAreNoted();
  // Room for the two clocks to be read one after another, on a machine that is busy.
  constexpr int64_t kSlackNs = 50'000'000;
  const int64_t before_ns = SteadyNanos();
  ASSERT_EQ(send(theirs_, "abc", 3, 0), 3);
  WaitUntilReadable();
  const int64_t readable_ns = SteadyNanos();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // in the socket
  const auto received = ReceiveSome(ours_);
  ASSERT_TRUE(received.has_value());
  EXPECT_GE(received->arrival_ns, before_ns - kSlackNs);
  EXPECT_LE(received->arrival_ns, readable_ns + kSlackNs);
}

TEST_F(SocketIoTest, WhatTheSocketDoesNotTakeIsSentLaterInOrder) {
  SendBuffer buffer;
  std::string sent;
  for (int i = 0; buffer.empty(); ++i) {
    ASSERT_LT(i, 100'000);
    const std::string piece(10'000, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(buffer.Send(ours_, piece));
    sent += piece;
  }
  ASSERT_TRUE(buffer.Send(ours_, "behind"));
  sent += "behind";
  std::string received;
  while (received.size() < sent.size()) {
    char some[65'536];
    const ssize_t got = recv(theirs_, some, sizeof some, MSG_DONTWAIT);
    if (got > 0) received.append(some, static_cast<size_t>(got));
    ASSERT_TRUE(buffer.Flush(ours_));
  }
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(received, sent);
}

TEST_F(SocketIoTest, ABrokenSocketIsTold) {
  close(std::exchange(theirs_, -1));
  SendBuffer buffer;
  // The first may still be taken: then the answer to it breaks the socket.
  bool alive = true;
  for (int i = 0; alive && i < 100; ++i) alive = buffer.Send(ours_, "x");
  EXPECT_FALSE(alive);
}

TEST(ScratchMessageTest, IsEmptyEachTime) {
  ScratchMessage() = "text";
  EXPECT_TRUE(ScratchMessage().empty());
}

}  // namespace
}  // namespace sysfleet
