// Channel and server options that coordinator and agents share.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "common/base/endpoint.h"

namespace grpc {
class Channel;
class ServerBuilder;
class Status;
}  // namespace grpc

namespace sysfleet {

/// FAILED_PRECONDITION unless the endpoint is a loopback address: there is no encryption yet.
absl::Status CheckPlainTextAllowed(const Endpoint& endpoint);

std::shared_ptr<grpc::Channel> MakePlainTextChannel(const Endpoint& endpoint);

/// Limits and keep-alive; adds no port.
void ApplyServerOptions(grpc::ServerBuilder& builder);

absl::Status FromGrpc(const grpc::Status& status);
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace sysfleet
