// What an API changes of the heads that pass through it: prepared when the configuration is loaded.
#pragma once

#include "config/headers.h"
#include "gateway/http/added_field.h"
#include "gateway/http/forward_fields.h"
#include "gateway/pipeline/cors.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Exchange;

/// The changes of one direction, as a table of prepared lines. Immutable.
class FieldRules {
public:
    /// A line that is the same for every exchange. `line` ends in CR LF.
    void add_line(std::string_view name, std::string_view value);
    /// One whose value has variables.
    void add_line(std::string_view name, std::vector<config::ValuePart> value);
    /// Received lines of this name are not passed on.
    void drop(std::string_view name) { dropped_.emplace_back(name); }

    [[nodiscard]] bool is_empty() const { return lines_.empty() && dropped_.empty(); }
    [[nodiscard]] std::span<std::string const> dropped() const { return dropped_; }

    /// Appends the lines that are written, each with its CR LF. Left out: a line with a variable
    /// that has no value in this exchange, and lines whose names are among `own`.
    void append_lines(std::string& to, Exchange const& exchange,
                      std::span<http::AddedField const> own) const;

private:
    struct Line {
        std::string name;
        std::string text;                     // the whole line, if its value has no variables
        std::vector<config::ValuePart> value; // otherwise
    };

    std::vector<Line> lines_;
    std::vector<std::string> dropped_;
};

/// The path on its way to the upstream: matched and logged is what the client sent.
struct PathRules {
    std::size_t stripped = 0; // bytes at its beginning, which are the same in every path of the API
    std::string prefix;       // without a slash at its end

    [[nodiscard]] bool is_empty() const { return stripped == 0 && prefix.empty(); }
    /// The path that the upstream gets, "/" at least. `path`: without query.
    [[nodiscard]] std::string change(std::string_view path) const;
};

/// Owned by the API; APIs that change nothing have none.
struct EdgeRules {
    PathRules path;
    FieldRules request;
    FieldRules response;
    FieldRules tls_response;          // besides `response`, on connections with TLS
    std::unique_ptr<Cors const> cors; // null: nothing is said to browsers
};

/// Applies the rules for responses of an upstream to `kept`: what is dropped is taken out, and a
/// run with the lines that are written is added. `storage` holds them, and must live as long.
void change_response(EdgeRules const& rules, Exchange const& exchange, http::LineRuns& kept,
                     std::string& storage);

/// The settings of the exchange's API for cross-origin requests; null: it has none.
[[nodiscard]] Cors const* cors_of(Exchange const& exchange) noexcept;

/// The lines that the exchange's API, if it has one, adds to a response of the gateway itself,
/// which has the fields `own`: these count.
[[nodiscard]] std::string lines_of_own_response(Exchange const& exchange,
                                                std::span<http::AddedField const> own);

/// The same for the response to a preflight from this allowed origin, of an API with CORS.
[[nodiscard]] std::string lines_of_preflight_response(Exchange const& exchange,
                                                      std::span<http::AddedField const> own,
                                                      std::string_view origin,
                                                      std::string_view methods);

} // namespace sallyport::pipeline
