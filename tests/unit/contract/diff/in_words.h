// Changes as plain text, for tests.
#pragma once

#include "gateway/contract/diff/diff.h"

#include <string>

namespace sallyport::contract::test {

/// "stricter maximum", joined by "; "; undecided ones with a question mark.
[[nodiscard]] inline std::string in_words(Diff const& diff) {
    if (!diff.is_compared) return "does not load";
    std::string all;
    for (auto const& change : diff.changes) {
        all += all.empty() ? "" : "; ";
        all += change.kind == ChangeClass::stricter ? "stricter "
               : change.kind == ChangeClass::looser ? "looser "
                                                    : "neutral ";
        all += change.what + (change.is_undecided ? "?" : "");
    }
    return all;
}

} // namespace sallyport::contract::test
