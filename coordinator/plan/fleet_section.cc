#include <fmt/format.h>

#include "coordinator/plan/expand.h"
#include "coordinator/plan/sections.h"

namespace sysfleet {
namespace {

void ReadPath(Section& section, std::string_view key, std::string& path) {
  section.Read(key, path);
  if (path.empty()) {
    const Node* const node = section.Find(key);
    section.AddError(key, node == nullptr ? section.position() : node->position,
                     "missing; name a file in PEM, as deploy/certs.sh makes them");
    return;
  }
  path = FromDirectory(section.context().directory, path);
}

}  // namespace

void ReadFleet(Section& top, Plan& plan) {
  Section section = top.Sub("fleet");
  section.Read("lease", plan.fleet.lease, 1);
  section.Read("insecure", plan.fleet.security.insecure);
  if (section.Find("tls") != nullptr) {
    Section tls = section.Sub("tls");
    TlsFiles files;
    ReadPath(tls, "ca", files.ca);
    ReadPath(tls, "certificate", files.certificate);
    ReadPath(tls, "key", files.key);
    tls.ReportUnknown();
    plan.fleet.security.tls = std::move(files);
  }
  section.ReportUnknown();
}

}  // namespace sysfleet
