// Cross-origin requests of browsers: see cors.h.
#include "gateway/pipeline/cors.h"

#include "gateway/http/changed_fields.h"
#include "gateway/http/characters.h"
#include "gateway/http/field_lines.h"
#include "gateway/http/field_name.h"
#include "gateway/http/method.h"
#include "gateway/pipeline/web_origin.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace sallyport::pipeline {

namespace {

constexpr std::string_view origin_name = "Origin";
constexpr std::string_view request_method_name = "Access-Control-Request-Method";
constexpr std::string_view vary_name = "Vary";

// What the CORS protocol has of responses: those of an upstream are replaced, never doubled, which
// browsers take for an error.
constexpr std::array<std::string_view, 7> fields_of_responses{
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Max-Age",
    "Access-Control-Expose-Headers",
    "Access-Control-Allow-Private-Network"};

void append_line(std::string& to, std::string_view name, std::string_view value) {
    to.append(name).append(": ").append(value).append("\r\n");
}

void append_element(std::string& list, std::string_view element) {
    if (!list.empty()) list += ", ";
    list += element;
}

std::string joined(std::vector<std::string> const& elements) {
    std::string list;
    for (auto const& element : elements)
        append_element(list, element);
    return list;
}

// RFC 9110, 12.5.5: the elements of a Vary that are not in `list` yet.
void append_vary(std::string& list, std::string_view value) {
    http::for_each_element(value, [&list](std::string_view element) {
        bool is_new = true;
        http::for_each_element(list, [&](std::string_view known) {
            is_new = is_new && !text::equals_ignoring_case(known, element);
            return true;
        });
        if (is_new && !element.empty()) append_element(list, element);
        return true;
    });
}

bool is_vary(std::string_view name) {
    return text::equals_ignoring_case(name, vary_name);
}

// Takes Vary out of the gateway's own lines.
void take_vary(std::string& lines, std::string& vary) {
    std::string others;
    http::for_each_field_line(lines, [&](std::string_view line, std::string_view name) {
        if (is_vary(name)) {
            append_vary(vary, http::value_of_field_line(line));
        } else {
            others += line;
        }
    });
    lines = std::move(others);
}

} // namespace

Cors::Cors(config::Cors const& from)
    : origins_{from.origins}, methods_{from.methods}, dropped_{fields_of_responses.begin(),
                                                               fields_of_responses.end()},
      is_for_all_{!origins_.empty() && origins_.front().text == "*"} {
    if (!is_for_all_) dropped_.emplace_back(vary_name);
    if (from.credentials) append_line(credentials_, "Access-Control-Allow-Credentials", "true");
    if (!from.expose.empty())
        append_line(response_, "Access-Control-Expose-Headers", joined(from.expose));
    if (!from.headers.empty())
        append_line(preflight_, "Access-Control-Allow-Headers", joined(from.headers));
    auto const age = std::chrono::duration_cast<std::chrono::seconds>(from.max_age).count();
    append_line(preflight_, "Access-Control-Max-Age", std::to_string(age));
    append_line(preflight_, vary_name,
                "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
}

bool Cors::writes(std::string_view name) noexcept {
    return std::any_of(fields_of_responses.begin(), fields_of_responses.end(),
                       [name](auto const field) { return http::is_same_variable(field, name); });
}

bool Cors::is_preflight(http::RequestHead const& head) noexcept {
    return head.method == http::Method::options && head.fields.find(origin_name)
           && head.fields.find(request_method_name);
}

std::optional<std::string_view>
Cors::allowed_origin(http::FieldTable const& request) const noexcept {
    if (is_for_all_) return "*";
    auto const origin = origin_lines(request);
    bool const is_allowed = origin.count == 1 && is_one_of(origins_, origin.value);
    return is_allowed ? std::optional{origin.value} : std::nullopt;
}

std::string Cors::methods_of(std::string_view methods, Others others) const {
    if (!methods_) return std::string{methods};
    std::string list;
    for (std::string const& method : *methods_) {
        bool is_there = others == Others::any;
        http::for_each_element(methods, [&](std::string_view one) {
            is_there = is_there || one == method;
            return true;
        });
        if (is_there) append_element(list, method);
    }
    return list;
}

// The lines of responses that are not to preflights. A response that depends on the origin says so
// to caches also where that is foreign or missing.
void Cors::add(std::string& lines, http::FieldTable const& request, std::string const& vary) const {
    if (!is_for_all_) {
        std::string list = vary;
        append_vary(list, origin_name);
        append_line(lines, vary_name, list);
    }
    auto const origin = allowed_origin(request);
    if (!origin) return;
    append_line(lines, fields_of_responses.front(), *origin);
    lines += credentials_;
    lines += response_;
}

void Cors::change(http::FieldTable const& request, http::LineRuns& kept, std::string& lines) const {
    std::string vary;
    if (!is_for_all_) {
        for (auto const run : kept) {
            http::for_each_field_line(run, [&vary](std::string_view line, std::string_view name) {
                if (is_vary(name)) append_vary(vary, http::value_of_field_line(line));
            });
        }
        take_vary(lines, vary);
    }
    http::LineRuns const all = kept;
    http::remove_lines(all, dropped_, kept);
    add(lines, request, vary);
}

void Cors::add_to(std::string& lines, http::FieldTable const& request) const {
    std::string vary;
    if (!is_for_all_) take_vary(lines, vary);
    add(lines, request, vary);
}

void Cors::add_to_preflight(std::string& lines, std::string_view origin,
                            std::string_view methods) const {
    append_line(lines, fields_of_responses.front(), origin);
    lines += credentials_;
    if (!methods.empty()) append_line(lines, "Access-Control-Allow-Methods", methods);
    lines += preflight_;
}

} // namespace sallyport::pipeline
