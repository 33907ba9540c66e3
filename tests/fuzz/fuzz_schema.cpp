// Builds random schemas and values, and compares the compiled program with a plain recursive
// evaluator: both must have the same result for every value. And the program with itself: its
// result must not depend on the spelling of a text, nor on whether the first look at the values is
// possible.
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/validator.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/plain_evaluator.h"
#include "tests/fuzz/random_schema.h"
#include "tests/unit/contract/sent_text.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace sallyport;

namespace {

using contract::Report;
using contract::Violation;

[[nodiscard]] Report judge(contract::Contract const& by, std::string body) {
    static contract::Validator validator;
    std::size_t const length = body.size();
    body.append(contract::body_padding, ' ');
    return validator.validate(*by.schema(), std::string_view{body}.substr(0, length), {}, {});
}

// The content of a report as one text; without places, and without `front` in rule pointers, if
// given. A member that only a later rule declares has its name in pointers if the first look found
// it.
[[nodiscard]] std::string told(Report const& report, std::string_view front, bool has_places) {
    std::string text = std::to_string(static_cast<int>(report.outcome)) + ' '
                       + std::to_string(report.unknown_members) + '\n';
    for (Violation const& one : report.violations) {
        bool const has_front = one.rule_pointer.substr(0, front.size()) == front;
        text += one.rule_pointer.substr(has_front ? front.size() : 0);
        text += ' ' + one.expected + '\n';
        if (has_places) text += one.pointer + ' ' + message_of(one) + '\n';
    }
    return text;
}

void hold_against(Report const& one, Report const& other, std::string_view front,
                  std::string const& schema, std::string const& body) {
    std::string const left = told(one, {}, front.empty());
    std::string const right = told(other, front, front.empty());
    if (left != right) {
        std::fprintf(stderr, "schema: %s\nvalue: %s\none: %s\nother: %s\n", schema.c_str(),
                     body.c_str(), left.c_str(), right.c_str());
    }
    fuzz::check(left == right, "both ways lead to one report");
}

// The same text with the first letter of its first string that begins with one as an escape: a text
// for simdjson's second stage. Empty: there is none.
[[nodiscard]] std::string with_escape(std::string const& body) {
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
        char const next = body[i + 1];
        if (body[i] != '"' || next < 'a' || next > 'z') continue;
        char escape[7];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(next));
        return body.substr(0, i + 1) + escape + body.substr(i + 2);
    }
    return {};
}

// The same schema in a form without the first look: inside an `allOf` of two. None if a reference
// to the root would change its target.
[[nodiscard]] std::shared_ptr<contract::Contract const> hidden(fuzz::Value schema,
                                                               std::string const& text) {
    if (schema.kind != fuzz::Value::Kind::object || text.find("\"#\"") != std::string::npos) {
        return nullptr;
    }
    fuzz::Value definitions = schema.members.back().value;
    schema.members.pop_back();
    std::string outer = R"({"allOf":[)";
    fuzz::append_json(outer, schema);
    outer += R"(,{"minProperties":0}],"$defs":)";
    fuzz::append_json(outer, definitions);
    outer += '}';
    return contract::Contract::load_schema(outer, "hidden.json").contract;
}

// The same schema as in a document that is too large to have each `$ref` expanded at its place.
[[nodiscard]] std::shared_ptr<contract::Contract const> shared(std::string const& text) {
    auto document = config::yaml::load_text(text, "shared.json", config::yaml::Syntax::full);
    contract::Loader loader{std::move(document), {}, contract::References::shared};
    auto contract = loader.load_schema(contract::Formats::assert_them).contract;
    fuzz::check(contract != nullptr, "a schema that loads also loads with shared references");
    return contract;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::Bytes bytes{data, size};
    fuzz::Value const schema = fuzz::random_schema(bytes);
    std::string text;
    fuzz::append_json(text, schema);
    auto const loaded = contract::Contract::load_schema(text, "schema.json");
    if (!loaded.contract) {
        // A `$ref` that refers back in place is invalid; all others must load.
        for (auto const& problem : loaded.problems) {
            if (problem.severity != config::yaml::Severity::error) continue;
            bool const is_loop =
                problem.what.find("refers back to this schema") != std::string::npos;
            if (!is_loop) std::fprintf(stderr, "%s\n%s\n", text.c_str(), problem.what.c_str());
            fuzz::check(is_loop, "a schema of known keywords loads");
        }
        return 0;
    }
    // Loading takes most of the time: one of four schemas is also loaded the other way.
    auto const other = size % 4 == 0 ? hidden(schema, text) : nullptr;
    auto const without_copies = size % 4 == 1 ? shared(text) : nullptr;
    for (int i = 0; i < 8 && (i == 0 || !bytes.is_empty()); ++i) {
        fuzz::Value const value = fuzz::random_value(bytes, 3);
        fuzz::PlainEvaluator plain{schema};
        bool const expected = plain.is_valid(value);
        if (plain.is_exhausted()) continue;
        std::string body;
        fuzz::append_json(body, value);
        Report const report = judge(*loaded.contract, body);
        bool const is_judged = report.outcome != contract::Outcome::malformed;
        bool const is_valid = report.outcome == contract::Outcome::valid;
        if (!is_judged || is_valid != expected) {
            std::fprintf(stderr, "schema: %s\nvalue: %s\nplain: %s\n", text.c_str(), body.c_str(),
                         expected ? "valid" : "not valid");
        }
        fuzz::check(is_judged, "every value is JSON");
        fuzz::check(is_valid == expected, "both evaluators say the same");
        std::string const escaped = with_escape(body);
        if (!escaped.empty()) {
            hold_against(report, judge(*loaded.contract, escaped), {}, text, body);
        }
        if (other) hold_against(report, judge(*other, body), "/allOf/0", text, body);
        if (without_copies) {
            bool const is_same = judge(*without_copies, body).outcome == report.outcome;
            if (!is_same) {
                std::fprintf(stderr, "schema: %s\nvalue: %s\n", text.c_str(), body.c_str());
            }
            fuzz::check(is_same, "expanded and shared references lead to one verdict");
        }
    }
    return 0;
}
