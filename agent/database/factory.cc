#include "agent/database/factory.h"

#include <utility>

#include "agent/database/mysql/mysql_connection.h"
#include "agent/database/postgresql/postgresql_connection.h"

namespace sysfleet {

std::unique_ptr<Connection> MakeConnection(DriverFamily family, ConnectionOptions options,
                                           Poller& poller) {
  if (family == DriverFamily::kMysql) {
    return std::make_unique<MysqlConnection>(std::move(options), poller);
  }
  return std::make_unique<PostgresqlConnection>(std::move(options), poller);
}

}  // namespace sysfleet
