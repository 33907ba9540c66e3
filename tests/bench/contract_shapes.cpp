// Schemas, and texts that cause as much work as possible: a shape or more for each keyword whose
// cost grows with its input.
#include "tests/bench/contract_shapes.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace sallyport::bench {

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20U;

using Piece = std::function<std::string(int)>;

[[nodiscard]] Piece always(std::string text) {
    return [text = std::move(text)](int) { return text; };
}

// As many pieces as fit.
[[nodiscard]] std::string fill(Piece const& piece, std::string_view open = "[",
                               std::string_view close = "]") {
    std::string text{open};
    for (int i = 0; text.size() < megabyte - 64; ++i)
        text += (i > 0 ? "," : "") + piece(i);
    return text.append(close);
}

[[nodiscard]] std::string list(int count, Piece const& piece) {
    std::string text{"["};
    for (int i = 0; i < count; ++i)
        text += (i > 0 ? "," : "") + piece(i);
    return text + ']';
}

[[nodiscard]] std::string number(int i) {
    return std::to_string(i);
}

[[nodiscard]] std::string member(int i) {
    return "\"m" + number(i) + "\":" + number(i);
}

[[nodiscard]] std::string nested(std::size_t levels, std::string const& innermost) {
    return std::string(levels, '[') + innermost + std::string(levels, ']');
}

[[nodiscard]] std::string layers(int count, std::string innermost, std::string_view beside) {
    for (int i = 0; i < count; ++i)
        innermost = "{allOf: [" + innermost + "], " + std::string{beside} + '}';
    return innermost;
}

struct Maker {
    std::string_view name;
    std::string (*schema)();
    std::string (*text)();
};

constexpr std::string_view unique_everywhere =
    "{$ref: '#/$defs/t', $defs: {t: {uniqueItems: true, items: {$ref: '#/$defs/t'}}}}";

Maker const makers[] = {
    {"nested_unique", [] { return std::string{unique_everywhere}; },
     [] { return nested(31, fill(member, "{", "}")); }},
    {"forms_with_unique",
     [] {
         return "oneOf: " + list(20, [](int i) {
                    return "{properties: {list: {uniqueItems: true}}, required: [k" + number(i)
                           + "]}";
                });
     },
     [] { return R"({"k19":1,"list":)" + fill([](int i) { return number(100'000 + i); }) + '}'; }},
    {"unique_numbers", [] { return std::string{"uniqueItems: true"}; },
     [] { return fill([](int i) { return number(i) + ".5"; }); }},
    {"large_enum",
     [] {
         return "items: {enum: " + list(9'000, [](int i) { return number(7 * i); }) + '}';
     },
     [] { return fill(always("62993")); }},
    {"enum_of_fractions",
     [] { return "items: {enum: " + list(9'000, [](int i) { return number(i) + ".5"; }) + '}'; },
     [] { return fill(always("8999.5")); }},
    {"enum_of_alike_strings",
     [] {
         return "items: {enum: "
                + list(9'000, [](int i) { return "aaaaaaaa" + number(10'000 + i) + "bbbbbbbb"; })
                + '}';
     },
     [] { return fill(always("\"aaaaaaaa18999bbbbbbbb\"")); }},
    {"const_everywhere",
     [] {
         return std::string{
             "{$ref: '#/$defs/t', $defs: {t: {not: {const: {a: 1}}, items: {$ref: '#/$defs/t'}}}}"};
     },
     [] { return nested(60, fill(always("10"))); }},
    {"many_forms",
     [] {
         return "items: {anyOf: "
                + list(200, [](int i) { return "{maximum: -" + number(i + 1) + '}'; }) + '}';
     },
     [] { return fill(always("0")); }},
    {"many_required",
     [] { return "items: {required: " + list(50, [](int i) { return 'r' + number(i); }) + '}'; },
     [] { return fill(always("{}")); }},
    {"short_patterns", [] { return std::string{"items: {pattern: '^a+$'}"}; },
     [] { return fill(always("\"a\"")); }},
    {"long_pattern", [] { return std::string{"pattern: '^(ab?)*$'"}; },
     [] { return '"' + std::string(megabyte, 'a') + '"'; }},
    {"many_lengths",
     [] {
         return "{allOf: "
                + list(20, [](int i) { return "{maxLength: " + number(500'000 + i) + '}'; }) + '}';
     },
     [] { return '"' + std::string(megabyte, 'a') + '"'; }},
    {"long_uri", [] { return std::string{"format: uri-reference"}; },
     [] { return '"' + std::string(megabyte, '.') + '"'; }},
    {"regexes", [] { return std::string{"items: {format: regex}"}; },
     [] { return fill(always("\"a\"")); }},
    {"multiples", [] { return std::string{"items: {multipleOf: 0.5, minimum: 0.25}"}; },
     [] { return fill(always("1")); }},
    {"unevaluated_items", [] { return layers(60, "{minItems: 0}", "unevaluatedItems: {}"); },
     [] { return fill(always("0")); }},
    {"unevaluated_members",
     [] { return layers(60, "{additionalProperties: {}}", "unevaluatedProperties: {}"); },
     [] { return fill(member, "{", "}"); }},
    {"metaschema",
     [] { return std::string{"$ref: 'https://json-schema.org/draft/2020-12/schema'"}; },
     [] { return R"({"allOf":)" + fill(always("{}")) + '}'; }},
};

} // namespace

std::vector<std::string> shape_names() {
    std::vector<std::string> names;
    for (Maker const& maker : makers)
        names.emplace_back(maker.name);
    return names;
}

Shape make_shape(std::string_view name) {
    auto const* const found =
        std::find_if(std::begin(makers), std::end(makers),
                     [name](Maker const& maker) { return maker.name == name; });
    if (found == std::end(makers)) throw std::out_of_range{"no such shape: " + std::string{name}};
    return {std::string{name}, found->schema(), found->text()};
}

} // namespace sallyport::bench
