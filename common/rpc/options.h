// Channel and server options that coordinator and agents share.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "common/base/endpoint.h"

namespace grpc {
class Channel;
class ChannelCredentials;
class ServerBuilder;
class Status;
}  // namespace grpc

namespace sysfleet {

/// Connects when it is used, by a TCP connection that no other channel shares.
std::shared_ptr<grpc::Channel> MakeChannel(
    const Endpoint& endpoint, const std::shared_ptr<grpc::ChannelCredentials>& credentials);

/// Keeps gRPC's library from writing to the standard error: what matters comes as a status. To be
/// called first in a program.
void SilenceGrpc();

/// Limits and keep-alive; adds no port.
void ApplyServerOptions(grpc::ServerBuilder& builder);

absl::Status FromGrpc(const grpc::Status& status);
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace sysfleet
