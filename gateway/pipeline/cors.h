// Cross-origin requests of browsers: what an API tells them of its responses, and of requests that
// they ask about before sending them (Fetch standard, "CORS protocol").
#pragma once

#include "config/cors.h"
#include "gateway/http/forward_fields.h"
#include "gateway/http/head.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// The settings of one API, prepared when the configuration is loaded. Immutable, owned by its
/// EdgeRules. CORS tells browsers what pages may read; it authorizes nothing, so that it changes no
/// decision about a request that is not a preflight.
class Cors {
public:
    explicit Cors(config::Cors const& from);

    /// Whether it is a field of responses that only an API with CORS writes, in any spelling.
    [[nodiscard]] static bool writes(std::string_view name) noexcept;

    /// Whether a browser asks with this head about a request that it has not sent yet (Fetch,
    /// "CORS-preflight request"): OPTIONS with `Origin` and `Access-Control-Request-Method`.
    [[nodiscard]] static bool is_preflight(http::RequestHead const& head) noexcept;

    /// The value of `Access-Control-Allow-Origin` for this request: "*" if every origin is allowed,
    /// else its own origin, a view into the head. None: it has no allowed origin, or several.
    [[nodiscard]] std::optional<std::string_view>
    allowed_origin(http::FieldTable const& request) const noexcept;

    /// What a preflight of a path with these methods (as in `Allow`) is told: the methods, in that
    /// form. `any`: what is not in `methods` may be asked for too.
    enum class Others : std::uint8_t { refused, any };
    [[nodiscard]] std::string methods_of(std::string_view methods, Others others) const;

    /// Of a response to `request`. Takes the upstream's own lines about other origins and its Vary
    /// out of `kept`, and adds those of the API to `lines`, which may already have some.
    void change(http::FieldTable const& request, http::LineRuns& kept, std::string& lines) const;
    /// The same for a response of the gateway itself, which has `lines` alone.
    void add_to(std::string& lines, http::FieldTable const& request) const;
    /// For a response to a preflight from an allowed origin; `methods`: from methods_of().
    void add_to_preflight(std::string& lines, std::string_view origin,
                          std::string_view methods) const;

private:
    void add(std::string& lines, http::FieldTable const& request, std::string const& vary) const;

    std::vector<config::AllowedOrigin> origins_;
    std::optional<std::vector<std::string>> methods_;
    std::vector<std::string> dropped_; // names of the lines of an upstream that are not passed on
    bool is_for_all_ = false;          // "*": responses do not depend on the origin
    // Whole lines, each with its CR LF.
    std::string credentials_; // of both kinds of responses
    std::string response_;    // of responses that are not to preflights
    std::string preflight_;   // of those that are
};

} // namespace sallyport::pipeline
