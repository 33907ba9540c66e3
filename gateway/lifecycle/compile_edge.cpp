// Compiles what an API changes of heads: the path, its headers, and the fields for browsers.
#include "gateway/lifecycle/compile.h"

#include "config/text.h"
#include "gateway/http/changed_fields.h"
#include "gateway/http/field_name.h"
#include "gateway/pipeline/edge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::lifecycle::compile {

namespace {

using http::FieldChange;
using http::FieldOf;

class Headers {
public:
    Headers(FieldOf of, contract::Contract const* contract, Problems& problems)
        : of_{of}, contract_{contract}, problems_{problems} {}

    void compile(config::FieldChanges const& from, pipeline::FieldRules& to) {
        for (auto const& field : from.set) {
            if (!check(field.name, FieldChange::write, field.origin)) continue;
            to.drop(field.name);
            to.add_line(field.name, field.value);
        }
        for (auto const& field : from.add)
            if (check(field.name, FieldChange::write, field.origin))
                to.add_line(field.name, field.value);
        for (auto const& field : from.remove)
            if (check(field.name, FieldChange::remove, field.origin)) to.drop(field.name);
    }

private:
    bool check(std::string const& name, FieldChange change, config::Origin const& origin) {
        auto const reason = http::reason_against(of_, change, name);
        if (!reason.empty()) {
            refuse(name, reason, origin);
        } else if (of_ == FieldOf::request && is_declared(name)) {
            // RFC 3875, 4.1.18: in another spelling too. What was checked is what arrives.
            refuse(name, "the contract declares it as a parameter", origin);
        } else {
            return true;
        }
        return false;
    }

    [[nodiscard]] bool is_declared(std::string const& name) const {
        if (contract_ == nullptr) return false;
        auto const& operations = contract_->operations();
        return std::any_of(operations.begin(), operations.end(), [&name](auto const& operation) {
            auto const& declared = operation.header_parameters;
            return std::any_of(declared.begin(), declared.end(), [&name](auto const& parameter) {
                return http::is_same_variable(parameter.name, name);
            });
        });
    }

    void refuse(std::string const& name, std::string_view reason, config::Origin const& origin) {
        problems_.push_back(config::problem_at(origin,
                                               "the field " + config::in_quotes(name)
                                                   + " cannot be changed: " + std::string{reason},
                                               "remove it"));
    }

    FieldOf of_;
    contract::Contract const* contract_;
    Problems& problems_;
};

bool names(config::FieldChanges const& changes, std::string_view name) {
    auto const is_same = [name](auto const& field) {
        return http::equals_ignoring_case(field.name, name);
    };
    return std::any_of(changes.set.begin(), changes.set.end(), is_same)
           || std::any_of(changes.add.begin(), changes.add.end(), is_same)
           || std::any_of(changes.remove.begin(), changes.remove.end(), is_same);
}

// What the API says of a field itself counts.
void add_security_headers(config::FieldChanges const& said, pipeline::EdgeRules& rules) {
    constexpr std::array<http::AddedField, 3> fields{
        {{"X-Content-Type-Options", "nosniff"}, // Fetch, "X-Content-Type-Options"
         {"X-Frame-Options", "DENY"},           // RFC 7034, 2.1
         {"Referrer-Policy", "no-referrer"}}};
    for (auto const& field : fields) {
        if (names(said, field.name)) continue;
        rules.response.drop(field.name);
        rules.response.add_line(field.name, field.value);
    }
    constexpr std::string_view transport = "Strict-Transport-Security";
    if (names(said, transport)) return;
    // RFC 6797, 7.2: not without TLS; an upstream does not know.
    rules.response.drop(transport);
    rules.tls_response.add_line(transport, "max-age=31536000; includeSubDomains");
}

// A path by which requests may be forwarded, as it is behind the mount, and which does not begin
// with that; none: there is no other. Literals of a contract's paths are in requests as they are
// here, but for the letter case of escapes.
std::optional<std::string> find_other(pipeline::Api const& api, std::string const& stripped) {
    auto const is_other = [&stripped](std::string_view path) {
        return path != stripped && !path.starts_with(stripped + '/');
    };
    if (api.contract) {
        for (auto const& operation : api.contract->operations())
            if (is_other(operation.path)) return operation.path;
    }
    auto const& prefixes = api.forwards_unknown() ? api.prefixes : api.paths;
    for (std::string_view const prefix : prefixes) {
        auto const path = prefix.substr(api.mount.size());
        if (is_other(path)) return std::string{path};
    }
    return std::nullopt;
}

// A request of which nothing could be stripped would reach the upstream with another path than its
// neighbours: every path that is forwarded begins with the prefix.
void compile_strip(config::UpstreamPath const& from, pipeline::Api const& api,
                   pipeline::EdgeRules& rules, Problems& problems) {
    auto const stripped = api.mount + from.strip_prefix;
    if (stripped.empty()) return;
    if (auto const other = find_other(api, from.strip_prefix);
        other && !from.strip_prefix.empty()) {
        problems.push_back(config::problem_at(from.strip_origin,
                                              "the API has " + config::in_quotes(*other)
                                                  + ", which does not begin with it",
                                              "strip what all paths of the API begin with"));
        return;
    }
    rules.path.stripped = stripped.size();
    // As other gateways do: an application makes links of it.
    rules.request.add_line("X-Forwarded-Prefix", std::string_view{stripped});
}

} // namespace

std::unique_ptr<pipeline::EdgeRules const> edge(config::Api const& from, Read const& read,
                                                pipeline::Api const& api, Problems& problems) {
    auto rules = std::make_unique<pipeline::EdgeRules>();
    // All endpoints have the same path; without upstreams, or endpoints, that has been reported.
    auto const& upstreams = read.config.upstreams;
    if (from.upstream < upstreams.size() && !upstreams[from.upstream].endpoints.empty())
        rules->path.prefix = upstreams[from.upstream].endpoints.front().path;
    rules->path.prefix += from.upstream_path.upstream_prefix;
    compile_strip(from.upstream_path, api, *rules, problems);
    Headers{FieldOf::request, api.contract.get(), problems}.compile(from.headers.request,
                                                                    rules->request);
    Headers{FieldOf::response, nullptr, problems}.compile(from.headers.response, rules->response);
    if (from.security_headers == config::SecurityHeaders::on)
        add_security_headers(from.headers.response, *rules);
    rules->cors = cors(from, api, problems);
    bool const is_empty = rules->path.is_empty() && rules->request.is_empty()
                          && rules->response.is_empty() && rules->tls_response.is_empty()
                          && rules->cors == nullptr;
    return is_empty ? nullptr : std::move(rules);
}

} // namespace sallyport::lifecycle::compile
