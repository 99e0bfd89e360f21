// Makes a connection of the right driver.
#pragma once

#include <memory>

#include "agent/database/connection.h"

namespace sysfleet {

enum class DriverFamily : uint8_t { kPostgresql, kMysql };

std::unique_ptr<Connection> MakeConnection(DriverFamily family, ConnectionOptions options,
                                           Poller& poller);

}  // namespace sysfleet
