// Bulk loading.
#include <gmock/gmock.h>

#include "tests/agent/database/fixture.h"
#include "tests/agent/database/lines.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

class CopyTest : public DriverTest {
 protected:
  static std::string CopyInto(const std::string& table) {
    return Either("COPY " + table + " FROM STDIN",
                  "LOAD DATA LOCAL INFILE 'rows' INTO TABLE " + table);
  }
};

TEST_P(CopyTest, LoadsEveryRow) {
  auto connection = Connected();
  MakeTable(*connection, "loaded", "id INT PRIMARY KEY, v VARCHAR(20)");
  constexpr int64_t kRows = 100000;
  Lines lines(kRows);
  MustRun(*connection, "BEGIN");
  const Outcome outcome = Await(loop_, connection->Copy(CopyInto("loaded"), lines));
  EXPECT_EQ(outcome.kind, OutcomeKind::kChanged) << outcome;
  EXPECT_EQ(outcome.rows, kRows);
  EXPECT_TRUE(connection->InTransaction());
  MustRun(*connection, "COMMIT");
  EXPECT_EQ(Ask(*connection, "SELECT SUM(id) FROM loaded"),
            std::to_string(kRows * (kRows + 1) / 2));
  EXPECT_EQ(Ask(*connection, "SELECT v FROM loaded WHERE id = 77777"), "row 77777");
}

TEST_P(CopyTest, NoRowsAreNoError) {
  auto connection = Connected();
  MakeTable(*connection, "loaded_empty", "id INT, v VARCHAR(20)");
  Lines lines(0);
  const Outcome outcome = Await(loop_, connection->Copy(CopyInto("loaded_empty"), lines));
  EXPECT_EQ(outcome.kind, OutcomeKind::kNothing) << outcome;
  EXPECT_EQ(Ask(*connection, "SELECT COUNT(*) FROM loaded_empty"), "0");
}

TEST_P(CopyTest, AMissingTableIsTheServersError) {
  auto connection = Connected();
  Lines lines(10);
  const Outcome outcome = Await(loop_, connection->Copy(CopyInto("not_there"), lines));
  EXPECT_EQ(outcome.kind, OutcomeKind::kError) << outcome;
  EXPECT_EQ(outcome.code, Either("42P01", "1146"));
  EXPECT_EQ(Ask(*connection, "SELECT 5"), "5");
}

TEST_P(CopyTest, AnErrorInMidWayLeavesTheConnectionUsable) {
  auto connection = Connected();
  MakeTable(*connection, "loaded_in_part", "id INT PRIMARY KEY, v VARCHAR(20)");
  Lines lines(100000);
  if (IsPostgresql()) {
    lines.Break(50000);
  } else {
    // For LOCAL the server takes a value that is no number for a warning.
    MustRun(*connection,
            "CREATE TRIGGER stop BEFORE INSERT ON loaded_in_part FOR EACH ROW "
            "IF NEW.id = 50000 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no further'; "
            "END IF");
  }
  const Outcome outcome = Await(loop_, connection->Copy(CopyInto("loaded_in_part"), lines));
  EXPECT_EQ(outcome.kind, OutcomeKind::kError) << outcome;
  EXPECT_EQ(outcome.code, Either("22P02", "1644"));
  EXPECT_THAT(outcome.message, HasSubstr(Either("\"broken\"", "no further")));
  EXPECT_EQ(Ask(*connection, "SELECT COUNT(*) FROM loaded_in_part"), "0");
}

TEST_P(CopyTest, AQueryThatAsksForDataIsNotLeftHanging) {
  auto connection = Connected();
  MakeTable(*connection, "not_loaded", "id INT, v VARCHAR(20)");
  const Outcome outcome = Run(*connection, CopyInto("not_loaded"));
  EXPECT_FALSE(outcome.ok());
  EXPECT_NE(outcome.code, "stuck");
}

INSTANTIATE_TEST_SUITE_P(Families, CopyTest, BothFamilies(), DriverName);

}  // namespace
}  // namespace sysfleet
