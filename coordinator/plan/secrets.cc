#include "coordinator/plan/secrets.h"

#include <algorithm>
#include <vector>

namespace sysfleet {

std::string HideSecrets(std::string text, const DatabasePlan& database) {
  std::vector<std::string_view> secrets(database.secrets.begin(), database.secrets.end());
  secrets.push_back(database.password);
  std::erase(secrets, std::string_view());
  std::string hidden;
  for (size_t place = 0; place < text.size();) {
    // The longest that begins here: one secret may begin with another.
    size_t length = 0;
    for (const std::string_view secret : secrets) {
      if (std::string_view(text).substr(place).starts_with(secret)) {
        length = std::max(length, secret.size());
      }
    }
    if (length == 0) {
      hidden += text[place++];
    } else {
      hidden += kHiddenSecret;
      place += length;
    }
  }
  return hidden;
}

}  // namespace sysfleet
