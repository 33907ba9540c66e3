// Checks bodies and parameters against the schemas of contracts.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/labels.h"
#include "gateway/contract/levels.h"
#include "gateway/contract/report.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Bytes that must be readable behind a body (their values do not matter): simdjson reads in
/// strides.
inline constexpr std::size_t body_padding = 64;

/// Of a query, where an operation declares parameters: each of them is compared with what is
/// declared.
inline constexpr std::size_t max_query_pairs = 256;

struct ValidatorLimits {
    std::size_t depth = 64; // arrays and objects inside each other
    /// Bytes; what a larger body needed is given back after it.
    std::size_t kept_body = std::size_t{256} * 1024;
};

/// What the parameters of one place break, all of them.
struct ParameterReport {
    Outcome outcome = Outcome::valid;
    /// Enforced ones. pointer: into a list or an object, else empty; rule_pointer: the parameter's
    /// own where no schema has the rule.
    std::vector<Violation> violations;
    std::vector<Violation> reported;
    std::vector<NotKept> not_kept; // of both lists
};

/// Asks for members that no schema declares, by their names: filled by validate() of a text that is
/// not malformed, whatever the levels say.
struct UndeclaredSearch {
    std::function<bool(std::string_view)> is_wanted;
    std::vector<std::string> pointers; // of those that are, at most max_violations; `*` their names
    std::size_t not_kept = 0;          // how many there are beyond those
};

/// One per worker, never shared: it owns the parser and all scratch memory, so that a valid body
/// allocates nothing once the largest one has been seen. A reference that it returns holds until its
/// next call.
class Validator {
public:
    explicit Validator(ValidatorLimits limits = {});
    ~Validator();
    Validator(Validator&&) noexcept;
    Validator& operator=(Validator&&) noexcept;

    /// `body` needs body_padding readable bytes behind it. Of schema, conditions and levels: all of
    /// one contract. What the report holds may be moved out of it.
    [[nodiscard]] Report& validate(BodySchema schema, std::string_view body,
                                   Conditions const& conditions, LevelTable const& levels,
                                   UndeclaredSearch* search = nullptr);
    /// Asks no rule, only whether the body is a JSON text that we let through.
    [[nodiscard]] Report const& check_json(std::string_view body);

    /// `match` is a path of the operation; its values are compared after one percent-decoding.
    [[nodiscard]] ParameterReport const& check_path(Operation const& operation,
                                                    RouteMatch const& match,
                                                    Conditions const& conditions,
                                                    LevelTable const& levels);
    /// `query` is what stands behind the `?`, raw. A pair that belongs to no declared parameter
    /// passes, unless an object wants no such members; a parameter may stand there once, unless it
    /// comes in parts.
    [[nodiscard]] ParameterReport const& check_query(Operation const& operation,
                                                     std::string_view query,
                                                     Conditions const& conditions,
                                                     LevelTable const& levels);

    /// A field of the head that the contract declares: all its lines, joined by commas where there
    /// are several.
    struct HeaderValue {
        std::optional<std::string_view> text; // none: there is no such field
        bool is_repeated = false;
    };
    [[nodiscard]] ParameterReport const& check_header(Parameter const& parameter,
                                                      HeaderValue const& value,
                                                      Conditions const& conditions,
                                                      LevelTable const& levels);

    /// What the rules of the last text have cost that was asked any, in units of a schema asked of a
    /// value: the same on every machine, but for a few steps in tables whose key is chosen by chance.
    [[nodiscard]] std::uint64_t work() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sallyport::contract
