// What a client must support to send a case: the rule by which a driver omits cases.
#pragma once

#include "tests/clients/corpus.h"

#include <set>
#include <string>
#include <vector>

namespace sallyport::test {

/// Words of README.md's table; empty if every client can send it.
std::set<std::string> needs_of(Case const& one, std::string_view host);

/// All existing words.
std::vector<std::string> const& all_needs();

} // namespace sallyport::test
