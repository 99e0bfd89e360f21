// A database of the tests' own: its connections answer from the loop, as a script says.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/database/connection.h"
#include "agent/engine/cell_order.h"
#include "agent/engine/reactor.h"

namespace sysfleet {

struct FakeAnswer {
  OutcomeKind kind = OutcomeKind::kRows;
  std::string code;
  // No answer at all.
  bool hangs = false;
};

// Thread-safe: connections of several reactors share it.
class FakeDatabase {
 public:
  /// Decides the answer to the n-th operation (from 1) of its kind over all connections. By default
  /// everything succeeds.
  std::function<FakeAnswer(int)> on_connect = [](int) { return FakeAnswer{}; };
  std::function<FakeAnswer(int, const std::string& sql)> on_execute = [](int, const std::string&) {
    return FakeAnswer{};
  };

  ConnectionFactory factory();

  int connects() const { return Read(connects_); }
  int executes() const { return Read(executes_); }
  int open() const { return Read(open_); }
  std::vector<std::string> queries() const {
    const std::lock_guard lock(mutex_);
    return queries_;
  }

 private:
  friend class FakeConnection;

  int Read(const int& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  int connects_ = 0;
  int executes_ = 0;
  int open_ = 0;
  std::vector<std::string> queries_;
};

}  // namespace sysfleet
