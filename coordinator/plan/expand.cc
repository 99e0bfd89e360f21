#include "coordinator/plan/expand.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "common/base/file.h"
#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr size_t kSecretBytesMax = size_t{64} * 1024;

absl::StatusOr<std::string> ReadVariable(const std::string& name) {
  if (const char* const value = std::getenv(name.c_str())) return std::string(value);
  return absl::NotFoundError(
      fmt::format("environment variable '{}' is not set; export it first", name));
}

absl::StatusOr<std::string> ReadSecretFile(std::string_view name, const std::string& directory) {
  const std::string path = FromDirectory(directory, name);
  absl::StatusOr<std::string> content = ReadWholeFile(path, kSecretBytesMax);
  if (!content.ok()) {
    return Annotate(content.status(), fmt::format("cannot read file '{}'", path));
  }
  while (content->ends_with('\n') || content->ends_with('\r')) content->pop_back();
  if (content->find('\0') != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format("file '{}' is not text", path));
  }
  return content;
}

absl::StatusOr<std::string> Resolve(std::string_view reference, const std::string& directory) {
  constexpr std::string_view kEnv = "env:";
  constexpr std::string_view kFile = "file:";
  if (reference.starts_with(kEnv) && reference.size() > kEnv.size()) {
    return ReadVariable(std::string(reference.substr(kEnv.size())));
  }
  if (reference.starts_with(kFile) && reference.size() > kFile.size()) {
    return ReadSecretFile(reference.substr(kFile.size()), directory);
  }
  return absl::InvalidArgumentError(fmt::format(
      "expected ${{env:NAME}} or ${{file:PATH}}, got '${{{}}}'; write $${{ for a literal ${{",
      reference));
}

}  // namespace

absl::StatusOr<ExpandedText> Expand(std::string_view text, const std::string& directory) {
  ExpandedText expanded;
  while (true) {
    const size_t start = text.find("${");
    const std::string_view literal = text.substr(0, start);
    expanded.text += literal;
    if (start == std::string_view::npos) return expanded;
    text.remove_prefix(start + 2);
    if (literal.ends_with('$')) {
      expanded.text += '{';
      continue;
    }
    const size_t end = text.find('}');
    if (end == std::string_view::npos) {
      return absl::InvalidArgumentError("a '${' without its '}'; write $${ for a literal ${");
    }
    absl::StatusOr<std::string> value = Resolve(text.substr(0, end), directory);
    if (!value.ok()) return value.status();
    expanded.text += *value;
    expanded.substituted.push_back(*std::move(value));
    text.remove_prefix(end + 1);
  }
}

std::string FromDirectory(const std::string& directory, std::string_view path) {
  return (std::filesystem::path(directory) / path).lexically_normal().string();
}

}  // namespace sysfleet
