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

/// Bytes that must be readable after a body (their values do not matter): simdjson reads in blocks.
inline constexpr std::size_t body_padding = 64;

/// Limit for queries of operations with parameters: each pair is compared with the declared names.
inline constexpr std::size_t max_query_pairs = 256;

/// Limits of one Validator.
struct ValidatorLimits {
    std::size_t depth = 64; // nesting of arrays and objects
    /// In bytes; memory that was allocated for a larger body is freed after it.
    std::size_t kept_body = std::size_t{256} * 1024;
};

/// Result of checking all parameters of one place.
struct ParameterReport {
    Outcome outcome = Outcome::valid;
    /// Enforced rules. pointer: into a list or an object, else empty; rule_pointer: the parameter's
    /// own if the rule is not part of a schema.
    std::vector<Violation> violations;
    std::vector<Violation> reported;
    std::vector<NotKept> not_kept; // of both lists
};

/// A body as it was sent.
struct SentBody {
    std::string_view bytes;    // with body_padding readable bytes after them
    std::string_view boundary; // of a multipart body: see find_boundary()
    bool says_ascii = false;   // its charset is US-ASCII
    Lists lists = Lists::both; // how the upstream reads those of a form
};

/// Searches for properties that no schema declares, by name: filled by validate() for a text that
/// is not malformed, independent of levels.
struct UndeclaredSearch {
    std::function<bool(std::string_view)> is_wanted;
    std::vector<std::string> pointers; // of the first max_violations; `*` is the name
    std::size_t not_kept = 0;          // number of further matches
};

/// One per worker, not thread-safe: it owns the parser and all scratch memory, so that a valid body
/// allocates nothing once the largest one has been seen. A reference that it returns is valid until
/// its next call.
class Validator {
public:
    /// The limits of all texts that this validator reads.
    explicit Validator(ValidatorLimits limits = {});
    ~Validator();
    Validator(Validator&&) noexcept;
    Validator& operator=(Validator&&) noexcept;

    /// Validates a JSON body. `body` needs body_padding readable bytes after it. `schema`,
    /// `conditions` and `levels` belong to one contract. The contents of the report may be moved
    /// out of it.
    [[nodiscard]] Report& validate(BodySchema schema, std::string_view body,
                                   Conditions const& conditions, LevelTable const& levels,
                                   UndeclaredSearch* search = nullptr);
    /// Validates a body of any syntax. What is not JSON is converted to the value that the schema
    /// describes: each field of a form is a property of an object. `type` has a schema.
    [[nodiscard]] Report& validate(MediaType const& type, SentBody const& body,
                                   Conditions const& conditions, LevelTable const& levels);
    /// Checks no rules, only whether the body is an acceptable JSON text (Malformed).
    [[nodiscard]] Report const& check_json(std::string_view body);

    /// Checks the path parameters. `match` is a path of the operation; its values are compared
    /// after one percent-decoding. If it has several readings, one of them has to satisfy all
    /// rules.
    [[nodiscard]] ParameterReport const& check_path(Operation const& operation,
                                                    RouteMatch const& match,
                                                    Conditions const& conditions,
                                                    LevelTable const& levels,
                                                    Lists lists = Lists::both);
    /// Checks the query parameters. `query` is the text after the `?`, raw. A pair that belongs to
    /// no declared parameter passes, unless an object parameter forbids such properties; a
    /// parameter may occur only once, unless its style allows several pairs.
    [[nodiscard]] ParameterReport const& check_query(Operation const& operation,
                                                     std::string_view query,
                                                     Conditions const& conditions,
                                                     LevelTable const& levels,
                                                     Lists lists = Lists::both);

    /// Checks a query that is one value as a whole. `query` is the text after the `?`, raw.
    [[nodiscard]] ParameterReport const& check_query_string(QueryString const& declared,
                                                            std::string_view query,
                                                            Conditions const& conditions,
                                                            LevelTable const& levels,
                                                            Lists lists = Lists::both);
    /// Checks the cookies that the operation declares. `cookies`: all lines of the field `Cookie`
    /// (RFC 6265, 4.2.1), joined by `; `; empty: there is none. Other cookies pass, unless some
    /// servers would find a declared one in them.
    [[nodiscard]] ParameterReport const& check_cookies(Operation const& operation,
                                                       std::string_view cookies,
                                                       Conditions const& conditions,
                                                       LevelTable const& levels,
                                                       Lists lists = Lists::both);

    /// A header field that the contract declares: all its lines, joined by commas if there are
    /// several.
    struct HeaderValue {
        std::optional<std::string_view> text; // none: the field is absent
        bool is_repeated = false;
    };
    /// Checks one header parameter.
    [[nodiscard]] ParameterReport const& check_header(Parameter const& parameter,
                                                      HeaderValue const& value,
                                                      Conditions const& conditions,
                                                      LevelTable const& levels);

    /// Cost of the rules of the last validated text, in units of one schema applied to one value:
    /// the same on every machine, except for a few steps in tables with a random key.
    [[nodiscard]] std::uint64_t work() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sallyport::contract
