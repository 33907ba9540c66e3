// The level of every rule of one contract, as configured for one API.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/level.h"
#include "gateway/contract/violation.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// One entry of `rules:`. Without `rule` it applies to the whole operation: the body and parameters
/// of its requests, including whether they are present, and with `off` also its responses. `report`
/// and `enforce` leave responses at the level of the API: a response cannot be enforced.
struct LevelOverride {
    std::string operation; // operationId
    std::string rule;      // a rule_pointer as in violations; empty: all rules
    Level level = Level::enforce;
};

/// A faulty override; the caller adds its position in the configuration.
struct LevelProblem {
    std::size_t index = 0; // of the override
    std::string what;
    std::string hint; // may be empty
};

/// The levels of one API in the configuration.
struct ApiLevels {
    Level requests = Level::enforce;
    Level responses =
        Level::off; // enforce is not possible: responses stream before they are checked
    Level read_only = Level::off; // properties that are `readOnly` and sent in a request
};

struct CompiledLevels;

/// Immutable, one per contract and API. Pointers of response rules begin with
/// `/responses/<status>`, those of parameters with `/parameters/<name>`. The level of an API or
/// operation does not apply to rules inside if, not, anyOf and oneOf: they decide about other
/// rules, and only an override of their own changes them. Of two overrides of one rule the later
/// applies; one with a rule takes precedence over one without. A rule of a shared schema has in
/// each operation the level of that operation.
class LevelTable {
public:
    /// Every rule of every contract at enforce, except readOnly, which is off.
    LevelTable() = default;

    /// Applies `overrides` to the levels of the API. Overrides without effect are returned as
    /// problems.
    [[nodiscard]] static CompiledLevels compile(Contract const& contract, ApiLevels levels,
                                                std::vector<LevelOverride> const& overrides);

    /// The level of a rule, by its number in the program; not for one of a shared schema.
    [[nodiscard]] Level of(std::uint32_t rule) const noexcept {
        return rule < rules_.size() ? rules_[rule] : Level::enforce;
    }
    /// The level of a rule where it is checked for a schema (BodySchema::index).
    [[nodiscard]] Level of(std::uint32_t rule, std::uint32_t schema) const noexcept {
        return is_shared_.empty() || !is_shared_[rule] ? of(rule) : of_shared(rule, schema);
    }
    /// Whether a schema (BodySchema::index) has to be checked: it, or at least one of its rules,
    /// is not off.
    [[nodiscard]] bool checks(std::uint32_t schema) const noexcept {
        return schema >= checked_.size() || checked_[schema];
    }

    /// Whether responses of an operation (Operation::index) have to be checked: at least one rule
    /// of one response is at `report`.
    [[nodiscard]] bool checks_responses(std::uint32_t operation) const noexcept {
        return operation < checked_responses_.size() && checked_responses_[operation];
    }

    /// The level of what is not a schema rule: for an operation (Operation::index) that required
    /// parameters are present, unique and well-formed, and which body it takes; for the API which
    /// operations exist. If any rule of an operation is enforced, these are enforced too: otherwise
    /// a request could avoid that rule with a body that is not checked.
    [[nodiscard]] Level of_requests(std::uint32_t operation) const noexcept {
        return operation < requests_.size() ? requests_[operation] : Level::enforce;
    }
    /// The level of the API as a whole: for requests that match no operation.
    [[nodiscard]] Level of_requests() const noexcept { return api_requests_; }
    /// Whether any operation has enforced requests.
    [[nodiscard]] bool enforces_any() const noexcept { return enforces_any_; }

    /// Whether all levels are those of the default constructor.
    [[nodiscard]] bool is_default() const noexcept { return rules_.empty(); }

private:
    [[nodiscard]] Level of_shared(std::uint32_t rule, std::uint32_t schema) const noexcept;

    std::vector<Level> rules_;
    // Of shared schemas: which rules are theirs (empty: none), which of them have the level of the
    // schema that is checked, those levels, and those of a rule and a schema that override them.
    std::vector<bool> is_shared_;
    std::vector<bool> is_of_schema_;
    std::vector<Level> schemas_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Level> exceptions_;
    std::vector<Level> requests_;
    Level api_requests_ = Level::enforce;
    bool enforces_any_ = true;
    std::vector<bool> checked_;
    std::vector<bool> checked_responses_; // empty: no operation
};

/// The violation of a response rule (contract.h), with its text from the contract; none if its
/// level is off.
[[nodiscard]] std::optional<Violation> break_rule(Contract const& contract,
                                                  LevelTable const& levels, ResponseRule rule);

/// The result of LevelTable::compile().
struct CompiledLevels {
    LevelTable table;
    std::vector<LevelProblem> problems; // empty: the table is valid
};

} // namespace sallyport::contract
