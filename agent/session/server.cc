#include "agent/session/server.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <utility>

#include "agent/engine/cores.h"
#include "agent/session/stream_link.h"
#include "agent/session/tenancy.h"
#include "common/base/clock.h"
#include "common/base/open_files.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "common/rpc/options.h"

namespace sysfleet {
namespace {

// Load is cut off after 1 s; the rest is for closing connections.
constexpr std::chrono::seconds kStopLimit{4};

std::shared_ptr<const v1::AgentMessage> MakeHello(const Capacity& capacity) {
  auto greeting = std::make_shared<v1::AgentMessage>();
  v1::Hello& hello = *greeting->mutable_hello();
  hello.set_version(std::string(kVersion));
  hello.set_protocol_min(kProtocolMin);
  hello.set_protocol_max(kProtocolMax);
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  hello.set_host(host);
  hello.set_cores(static_cast<uint32_t>(MachineCores()));
  hello.set_open_files_limit(OpenFilesLimit());
  std::random_device random;
  hello.set_boot_id(fmt::format("{:08x}{:08x}", random(), random()));
  hello.set_reactors(static_cast<uint32_t>(capacity.reactors));
  for (const CoreRate& rate : capacity.rates) {
    v1::CoreRate& message = *hello.add_core_rates();
    message.set_driver(rate.family == DriverFamily::kPostgresql ? v1::DRIVER_POSTGRESQL
                                                                : v1::DRIVER_MYSQL);
    message.set_connections(static_cast<uint32_t>(rate.connections));
    message.set_qps(rate.qps);
  }
  return greeting;
}

}  // namespace

class AgentServer::Impl final : public v1::AgentService::CallbackService {
 public:
  Impl(Engine& engine, const Capacity& capacity, Security security)
      : security_(std::move(security)),
        tenancy_(engine, queue_, MakeHello(capacity), [this](bool leased) { SetLeased(leased); }) {}

  absl::Status Listen(const Endpoint& endpoint) {
    const auto credentials = MakeServerCredentials(security_);
    if (!credentials.ok()) return credentials.status();
    grpc::ServerBuilder builder;
    ApplyServerOptions(builder);
    int port = 0;
    builder.AddListeningPort(ToString(endpoint), *credentials, &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      return absl::UnavailableError(
          fmt::format("cannot listen on {}: is another agent using the port?", ToString(endpoint)));
    }
    address_ = {endpoint.host, static_cast<uint16_t>(port)};
    return absl::OkStatus();
  }

  const Endpoint& address() const { return address_; }

  StreamReactor* Session(grpc::CallbackServerContext* context) override {
    const auto peer = context->auth_context();
    return new Stream(*this, CheckIsCoordinator(peer.get(), security_));
  }

  bool Stop() {
    if (server_ == nullptr) return true;
    queue_.Post([this] { tenancy_.End(); });
    {
      std::unique_lock lock(mutex_);
      if (!idle_changed_.wait_for(lock, kStopLimit, [this] { return !leased_; })) return false;
    }
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
    server_->Wait();
    server_ = nullptr;
    return true;
  }

 private:
  // Receives what a coordinator sends. gRPC owns it until OnDone.
  class Stream final : public StreamReactor {
   public:
    Stream(Impl& agent, const absl::Status& admission)
        : agent_(agent), link_(std::make_shared<StreamLink>(*this)) {
      if (!admission.ok()) {
        spdlog::warn("refused a stream: {}", Message(admission));
        link_->Finish(admission);
        return;
      }
      agent_.queue_.Post([&agent, link = link_] { agent.tenancy_.OnStreamOpened(link); });
      StartRead(&message_);
    }

    void OnReadDone(bool ok) override {
      if (!ok) {
        agent_.queue_.Post([&agent = agent_, link = link_] { agent.tenancy_.OnStreamLost(link); });
        return;
      }
      if (message_.has_ping()) {
        Answer(message_);  // at once: the time it takes is what is measured
      } else {
        agent_.queue_.Post([&agent = agent_, link = link_, message = std::move(message_)] {
          agent.tenancy_.OnMessage(link, message);
        });
        message_.Clear();
      }
      StartRead(&message_);
    }
    void OnWriteDone(bool ok) override { link_->OnWriteDone(ok); }
    void OnDone() override {
      link_->OnStreamGone();
      delete this;
    }

   private:
    void Answer(const v1::CoordinatorMessage& message) {
      v1::AgentMessage answer;
      answer.set_run_id(message.run_id());
      answer.set_epoch(message.epoch());
      answer.mutable_pong()->set_sequence(message.ping().sequence());
      answer.mutable_pong()->set_agent_ns(SteadyNanos());
      link_->Send(std::make_shared<const v1::AgentMessage>(std::move(answer)));
    }

    Impl& agent_;
    const std::shared_ptr<StreamLink> link_;
    v1::CoordinatorMessage message_;
  };

  void SetLeased(bool leased) {
    const std::lock_guard lock(mutex_);
    leased_ = leased;
    idle_changed_.notify_all();
  }

  const Security security_;
  Endpoint address_;
  std::mutex mutex_;
  std::condition_variable idle_changed_;
  bool leased_ = false;  // guarded by mutex_
  Tenancy tenancy_;      // its calls come from the queue
  SerialQueue queue_;
  std::unique_ptr<grpc::Server> server_;
};

absl::StatusOr<std::unique_ptr<AgentServer>> AgentServer::Start(const Endpoint& listen,
                                                                Engine& engine,
                                                                const Capacity& capacity,
                                                                const Security& security) {
  if (auto status = CheckPlainTextAllowed(listen, security); !status.ok()) return status;
  auto impl = std::make_unique<Impl>(engine, capacity, security);
  if (auto status = impl->Listen(listen); !status.ok()) return status;
  return std::unique_ptr<AgentServer>(new AgentServer(std::move(impl)));
}

AgentServer::AgentServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AgentServer::~AgentServer() {
  while (!Stop()) continue;
}
Endpoint AgentServer::address() const {
  return impl_->address();
}
bool AgentServer::Stop() {
  return impl_->Stop();
}

}  // namespace sysfleet
