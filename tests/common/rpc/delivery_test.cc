#include "common/rpc/delivery.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

namespace sysfleet {
namespace {

using testing::ElementsAre;

// Stands for an envelope of the protocol.
struct Envelope {
  void set_sequence(uint64_t sequence) { number = sequence; }
  uint64_t sequence() const { return number; }
  int content = 0;
  uint64_t number = 0;
};

TEST(Outbox, KeepsWhatIsNotAcknowledged) {
  Outbox<Envelope> outbox;
  for (const int content : {10, 11, 12}) outbox.Add({.content = content});
  outbox.OnAcknowledged(0);
  EXPECT_EQ(outbox.kept().size(), 3U);
  outbox.OnAcknowledged(2);
  ASSERT_EQ(outbox.kept().size(), 1U);
  EXPECT_EQ(outbox.kept()[0]->content, 12);
  EXPECT_EQ(outbox.kept()[0]->sequence(), 3U);
  // An older one, which was under way for longer.
  outbox.OnAcknowledged(1);
  EXPECT_EQ(outbox.kept().size(), 1U);
  outbox.OnAcknowledged(3);
  EXPECT_TRUE(outbox.kept().empty());
  EXPECT_EQ(outbox.Add({.content = 13})->sequence(), 4U);
}

TEST(Received, TellsNewFromSeenFromMissing) {
  Received received;
  EXPECT_EQ(received.Take(1), Arrival::kNew);
  EXPECT_EQ(received.Take(1), Arrival::kSeen);
  EXPECT_EQ(received.Take(3), Arrival::kMissing);
  EXPECT_EQ(received.last(), 1U);
  EXPECT_EQ(received.Take(2), Arrival::kNew);
  EXPECT_EQ(received.Take(3), Arrival::kNew);
  EXPECT_EQ(received.last(), 3U);
}

// A stream may break anywhere, with anything on its way lost.
TEST(Delivery, IsOnceAndInOrderOverStreamsThatBreak) {
  std::mt19937 random(20261201);
  Outbox<Envelope> outbox;
  Received received;
  std::vector<int> delivered;
  std::vector<int> expected;
  uint64_t acknowledged = 0;  // as far as the sender has heard
  for (int i = 0; i < 1'000; ++i) {
    outbox.Add({.content = i});
    expected.push_back(i);
    if (random() % 4 != 0 && i != 999) continue;
    // Another stream: everything kept is sent, some of it arrives, some acknowledgement comes back.
    outbox.OnAcknowledged(acknowledged);
    const size_t arriving = i == 999 ? outbox.kept().size() : random() % (outbox.kept().size() + 1);
    for (size_t k = 0; k < arriving; ++k) {
      const Arrival arrival = received.Take(outbox.kept()[k]->sequence());
      ASSERT_NE(arrival, Arrival::kMissing);
      if (arrival == Arrival::kNew) delivered.push_back(outbox.kept()[k]->content);
    }
    if (random() % 2 == 0) acknowledged = received.last();
  }
  EXPECT_EQ(delivered, expected);
}

}  // namespace
}  // namespace sysfleet
