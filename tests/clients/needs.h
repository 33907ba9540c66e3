// What a client must be able to do to send a case: the rule by which a driver leaves cases out.
#pragma once

#include "tests/clients/corpus.h"

#include <set>
#include <string>
#include <vector>

namespace sallyport::test {

// Words of README.md's table; empty for what every client can send.
std::set<std::string> needs_of(Case const& one, std::string_view host);

// All words that there are.
std::vector<std::string> const& all_needs();

} // namespace sallyport::test
