// What an API changes of the heads that pass through it: prepared when the configuration is loaded.
#include "gateway/pipeline/edge.h"

#include "gateway/http/changed_fields.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::pipeline {

namespace {

// Visible ASCII without what separates or quotes the elements of a field's value (RFC 9110, 5.6),
// and without the sign of an escape.
bool is_plain(char c) {
    return c > ' ' && c < 0x7F && std::string_view{"%\",;\\"}.find(c) == std::string_view::npos;
}

// Percent-encoded where necessary (RFC 3986, 2.1), so that a value can neither end the field nor be
// taken for two elements.
void append_escaped(std::string& to, std::string_view value) {
    for (char const c : value) {
        if (is_plain(c)) {
            to += c;
        } else {
            text::append_escape(to, c);
        }
    }
}

std::string value_of(config::ValuePart const& part, Exchange const& exchange) {
    auto const& decision = exchange.decision;
    switch (part.variable) {
    case config::Variable::request_id: return std::string{exchange.request.id.text()};
    case config::Variable::client: return exchange.request.address();
    case config::Variable::credential:
        return decision.caller == nullptr ? std::string{} : decision.caller->name;
    case config::Variable::operation:
        return decision.operation == nullptr ? std::string{} : decision.operation->id;
    case config::Variable::label: break;
    case config::Variable::none: return {};
    }
    if (decision.caller == nullptr) return {};
    for (auto const& label : decision.caller->labels)
        if (label.name == part.text) return text_of(label.value);
    return {};
}

// None: a variable has no value.
std::optional<std::string> value_of(std::vector<config::ValuePart> const& parts,
                                    Exchange const& exchange) {
    std::string value;
    for (auto const& part : parts) {
        if (part.variable == config::Variable::none) {
            value += part.text;
            continue;
        }
        auto const text = value_of(part, exchange);
        if (text.empty()) return std::nullopt;
        append_escaped(value, text);
    }
    return value;
}

void append_response_lines(EdgeRules const& rules, Exchange const& exchange,
                           std::span<http::AddedField const> own, std::string& to) {
    rules.response.append_lines(to, exchange, own);
    // RFC 6797, 7.2
    if (exchange.request.is_https()) rules.tls_response.append_lines(to, exchange, own);
}

void append_line(std::string& to, std::string_view name, std::string_view value) {
    to.append(name).append(": ").append(value).append("\r\n");
}

} // namespace

void FieldRules::add_line(std::string_view name, std::string_view value) {
    Line line{std::string{name}, {}, {}};
    append_line(line.text, name, value);
    lines_.push_back(std::move(line));
}

void FieldRules::add_line(std::string_view name, std::vector<config::ValuePart> value) {
    bool const is_constant = std::all_of(value.begin(), value.end(), [](auto const& part) {
        return part.variable == config::Variable::none;
    });
    if (!is_constant) {
        lines_.push_back({std::string{name}, {}, std::move(value)});
        return;
    }
    std::string text;
    for (auto const& part : value)
        text += part.text;
    add_line(name, std::string_view{text});
}

void FieldRules::append_lines(std::string& to, Exchange const& exchange,
                              std::span<http::AddedField const> own) const {
    for (auto const& line : lines_) {
        bool const is_own = std::any_of(own.begin(), own.end(), [&line](auto const& field) {
            return text::equals_ignoring_case(field.name, line.name);
        });
        if (is_own) continue;
        if (!line.text.empty()) {
            to += line.text;
        } else if (auto const value = value_of(line.value, exchange)) {
            append_line(to, line.name, *value);
        }
    }
}

std::string PathRules::change(std::string_view path) const {
    std::string changed{prefix};
    // Every path of the API is longer, which was checked when it was compiled.
    changed += path.substr(std::min(stripped, path.size()));
    if (changed.empty()) changed = "/"; // RFC 9112, 3.2.1
    return changed;
}

void change_response(EdgeRules const& rules, Exchange const& exchange, http::LineRuns& kept,
                     std::string& storage) {
    if (!rules.response.dropped().empty()) {
        http::LineRuns const all = kept;
        http::remove_lines(all, rules.response.dropped(), kept);
    }
    append_response_lines(rules, exchange, {}, storage);
    if (rules.cors) rules.cors->change(exchange.request.head.fields, kept, storage);
    if (!storage.empty()) kept.add(storage);
}

std::string lines_of_own_response(Exchange const& exchange, std::span<http::AddedField const> own) {
    std::string lines;
    auto const* const api = exchange.decision.api;
    if (api == nullptr || api->edge == nullptr) return lines;
    append_response_lines(*api->edge, exchange, own, lines);
    if (api->edge->cors) api->edge->cors->add_to(lines, exchange.request.head.fields);
    return lines;
}

Cors const* cors_of(Exchange const& exchange) noexcept {
    auto const& edge = exchange.decision.api->edge;
    return edge == nullptr ? nullptr : edge->cors.get();
}

std::string lines_of_preflight_response(Exchange const& exchange,
                                        std::span<http::AddedField const> own,
                                        std::string_view origin, std::string_view methods) {
    std::string lines;
    auto const& edge = *exchange.decision.api->edge;
    append_response_lines(edge, exchange, own, lines);
    edge.cors->add_to_preflight(lines, origin, methods);
    return lines;
}

} // namespace sallyport::pipeline
