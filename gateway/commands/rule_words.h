// The rules of credentials in a few words: for lists of them.
#pragma once

#include "config/credentials.h"

#include <string>
#include <vector>

namespace sallyport::commands {

/// What it names, then its conditions: `management/*`, `tag:management/Backups`, `method:GET`,
/// `read_only`, `organizationId=5f0c`.
[[nodiscard]] std::vector<std::string> words_of(config::AccessRule const& rule);
/// `all`, or the words of the rule.
[[nodiscard]] std::vector<std::string> words_of(config::Allow const& allow);

} // namespace sallyport::commands
