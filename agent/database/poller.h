// How a connection learns that its socket is ready: implemented by the engine's reactor. Everything
// here is called on one thread, the reactor's.
#pragma once

#include <cstdint>

namespace sysfleet {

struct Interest {
  bool read = false;
  bool write = false;

  bool operator==(const Interest&) const = default;
};

class Pollable {
 public:
  virtual ~Pollable() = default;

  /// The socket is readable, writable or both (an error or a hang-up counts as both).
  virtual void OnReady(Interest ready) = 0;
};

class Poller {
 public:
  virtual ~Poller() = default;

  /// Level-triggered. A second call for the same descriptor changes what is watched.
  virtual void Watch(int fd, Interest interest, Pollable& pollable) = 0;

  /// Must be called before the descriptor is closed. Does nothing for one that is not watched.
  virtual void Unwatch(int fd) = 0;
};

}  // namespace sysfleet
