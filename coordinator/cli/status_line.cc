#include "coordinator/cli/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sysfleet {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTerminalInterval{950};
constexpr std::chrono::seconds kLogInterval{10};
constexpr const char* kClearLine = "\r\033[K";

// A line that wraps cannot be cleared.
size_t ColumnsOf(std::FILE* out) {
  winsize size{};
  constexpr size_t kUsual = 80;
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::string Shortened(const std::string& text, size_t columns) {
  return text.size() < columns ? text : text.substr(0, columns - 1);
}

StatusLine::StatusLine(std::FILE* out) : out_(out), is_terminal_(isatty(fileno(out)) == 1) {
  Reset();
}

bool StatusLine::IsDue() const {
  return steady_clock::now() >= next_;
}

void StatusLine::Show(const std::string& text) {
  if (is_terminal_) {
    fmt::print(out_, "{}{}", kClearLine, Shortened(text, ColumnsOf(out_)));
    shown_ = true;
    next_ = steady_clock::now() + kTerminalInterval;
  } else {
    fmt::print(out_, "{}\n", text);
    next_ = steady_clock::now() + kLogInterval;
  }
  std::fflush(out_);
}

void StatusLine::Print(const std::string& lines) {
  Clear();
  fmt::print(out_, "{}", lines);
  std::fflush(out_);
}

void StatusLine::Reset() {
  Clear();
  next_ = is_terminal_ ? steady_clock::now() : steady_clock::now() + kLogInterval;
}

void StatusLine::Clear() {
  if (!shown_) return;
  fmt::print(out_, "{}", kClearLine);
  shown_ = false;
}

}  // namespace sysfleet
