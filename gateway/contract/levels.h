// The level of every rule of one contract, as one API's configuration sets them.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/level.h"
#include "gateway/contract/violation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// One entry of `rules:`. Without `rule` it is the whole operation: the body and the parameters of
/// its requests, that they are there too, and with `off` its responses. `report` and `enforce` leave
/// those at the level that the API has for them: a response cannot be enforced.
struct LevelOverride {
    std::string operation; // operationId
    std::string rule;      // a rule_pointer as violations carry it; empty: all
    Level level = Level::enforce;
};

/// What is wrong with an override; the caller knows where in the configuration it stands.
struct LevelProblem {
    std::size_t index = 0; // of the override
    std::string what;
    std::string hint; // may be empty
};

struct ApiLevels {
    Level requests = Level::enforce;
    Level responses =
        Level::off; // enforce is not possible: responses stream before they are checked
    Level read_only = Level::off; // members that are `readOnly` and stand in a request
};

struct CompiledLevels;

/// Immutable, one a contract and API. Rules of responses are named with `/responses/<status>` in
/// front, rules of parameters with `/parameters/<name>`. A level of an API or an operation
/// leaves alone what stands inside if, not, anyOf and oneOf: it is asked to decide about other
/// rules, and only its own override changes it. A later override of the same rule wins; one with a
/// rule wins over one without.
class LevelTable {
public:
    /// Every rule of every contract at enforce, readOnly apart: that is off.
    LevelTable() = default;

    [[nodiscard]] static CompiledLevels compile(Contract const& contract, ApiLevels levels,
                                                std::vector<LevelOverride> const& overrides);

    /// Of a rule, by its number in the program.
    [[nodiscard]] Level of(std::uint32_t rule) const noexcept {
        return rule < rules_.size() ? rules_[rule] : Level::enforce;
    }
    /// Whether a schema (BodySchema::index) is to be asked at all: it, or some rule of it, is not
    /// off.
    [[nodiscard]] bool asks(std::uint32_t schema) const noexcept {
        return schema >= asked_.size() || asked_[schema];
    }

    /// Whether answers of an operation (Operation::index) are to be looked at: some rule of one is
    /// at `report`.
    [[nodiscard]] bool asks_responses(std::uint32_t operation) const noexcept {
        return operation < asked_responses_.size() && asked_responses_[operation];
    }

    /// How strictly what is no rule of a schema is taken: of an operation (Operation::index) that
    /// parameters are there, once and well written, and which body it takes; of the whole API, which
    /// operations there are. An operation of which any rule is enforced has all of that enforced,
    /// too: a request must not get past that rule by a body that no rule is asked of.
    [[nodiscard]] Level of_requests(std::uint32_t operation) const noexcept {
        return operation < requests_.size() ? requests_[operation] : Level::enforce;
    }
    [[nodiscard]] Level of_requests() const noexcept { return api_requests_; }
    /// Whether requests of any operation are enforced.
    [[nodiscard]] bool enforces_any() const noexcept { return enforces_any_; }

    [[nodiscard]] bool is_default() const noexcept { return rules_.empty(); }

private:
    std::vector<Level> rules_;
    std::vector<Level> requests_;
    Level api_requests_ = Level::enforce;
    bool enforces_any_ = true;
    std::vector<bool> asked_;
    std::vector<bool> asked_responses_; // empty: of none
};

/// That a rule of a response is broken (contract.h), with what the contract says of it; none where
/// its level is off.
[[nodiscard]] std::optional<Violation> break_rule(Contract const& contract,
                                                  LevelTable const& levels, ResponseRule rule);

struct CompiledLevels {
    LevelTable table;
    std::vector<LevelProblem> problems; // empty: the table is good
};

} // namespace sallyport::contract
