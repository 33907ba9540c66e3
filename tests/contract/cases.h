// Reads cases/*.yaml: bodies with their expected results.
#pragma once

#include "gateway/contract/labels.h"
#include "gateway/contract/levels.h"
#include "gateway/contract/report.h"
#include "tests/contract/document.h"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract::test {

struct ExpectedViolation {
    std::string pointer;
    std::string rule_pointer;
    std::optional<std::string> expected; // JSON text; not compared if the row has none
    std::optional<std::string> message;  // likewise
};

/// One body and its expected result. A row with several bodies becomes several cases.
struct Case {
    std::string name;
    std::string operation;
    Side side = Side::request;
    Labels labels;
    std::vector<LevelOverride> levels;
    std::string body;
    Outcome outcome = Outcome::valid;
    std::string malformed; // the reason's name
    std::vector<ExpectedViolation> because;
    std::vector<ExpectedViolation> reported;
    std::optional<std::size_t> unknown_members; // not compared if the row has none
    std::vector<std::string> deprecated;
};

/// `file` is in tests/contract/cases.
[[nodiscard]] std::vector<Case> read_cases(std::string const& file);

} // namespace sallyport::contract::test
