// Values of parameters that are seen to be valid by a look at their text, without the evaluator.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/patterns/own_patterns.h"
#include "gateway/contract/schema/program.h"

#include <string_view>

namespace sallyport::contract {

/// At load, once the schema `root` is compiled whole. `reading` is the parameter's.
[[nodiscard]] PlainRule find_plain_rule(Program const& program, NodeIndex root,
                                        Reading const& reading);

/// Whether `text`, which no decoding would change (is_plain()), is valid at every level of every
/// rule. No: it may be valid all the same, and only the evaluator can say what is wrong with it.
[[nodiscard]] bool holds_plainly(Program const& program, PlainRule const& rule,
                                 std::string_view text, OwnPatterns& patterns);

} // namespace sallyport::contract
