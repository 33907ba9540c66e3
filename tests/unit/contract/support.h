// Shared code of the tests of the contract engine: schemas and documents from text, and results as
// plain text.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/levels.h"
#include "gateway/contract/validator.h"
#include "tests/unit/contract/sent_text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test {

/// A contract that must load; throws its problems otherwise.
[[nodiscard]] std::shared_ptr<Contract const> load_schema(std::string_view text);
[[nodiscard]] std::shared_ptr<Contract const> load_document(std::string_view text);

/// All problems, one description each, without the last line that says how to load a document that
/// cannot be enforced as a whole.
[[nodiscard]] std::vector<std::string> descriptions(config::yaml::Problems const& problems);

/// The descriptions() of a document that must not load.
[[nodiscard]] std::vector<std::string> problems_of(std::string_view document);
[[nodiscard]] std::vector<std::string> problems_of_schema(std::string_view schema);

/// A body with padding in its own allocation, whose end AddressSanitizer guards.
class Body {
public:
    explicit Body(std::string_view text) : text_{text}, size_{text.size()} {
        text_.append(body_padding, '?');
    }
    [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

private:
    std::string text_;
    std::size_t size_;
};

/// "valid", "malformed: <reason>", or the messages of the violations, joined by "; ".
[[nodiscard]] std::string verdict_of(Report const& report);

/// One schema with a validator.
class Checker {
public:
    explicit Checker(std::string_view schema) : contract_{load_schema(schema)} {}

    [[nodiscard]] Report const& check(std::string_view body, Labels const& labels = {}) {
        return validator_.validate(*contract_->schema(), Body{body}.view(),
                                   contract_->conditions_for(labels), levels_);
    }
    [[nodiscard]] std::string verdict(std::string_view body, Labels const& labels = {}) {
        return verdict_of(check(body, labels));
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
    LevelTable levels_;
};

} // namespace sallyport::contract::test
