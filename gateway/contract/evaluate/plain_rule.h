// Values of parameters whose text shows that they are valid, without the evaluator.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/patterns/own_patterns.h"
#include "gateway/contract/schema/program.h"

#include <string_view>

namespace sallyport::contract {

/// Called at load when the schema `root` is compiled. `reading` is that of the parameter.
[[nodiscard]] PlainRule find_plain_rule(Program const& program, NodeIndex root,
                                        Reading const& reading);

/// Whether `text`, which decoding does not change (is_plain()), is valid for every rule at every
/// level. False: it may be valid or not, which the evaluator decides.
[[nodiscard]] bool holds_plainly(Program const& program, PlainRule const& rule,
                                 std::string_view text, OwnPatterns& patterns);

} // namespace sallyport::contract
