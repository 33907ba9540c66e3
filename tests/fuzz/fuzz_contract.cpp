// Fuzzes JSON bodies against contracts: the first byte chooses a schema, the rest is the body. With
// 0x40 set the body may nest as deep as any configuration allows, and the schema has many others in
// place at each level.
//
// What must hold for every input: simdjson and the plain reader agree on what is JSON; a body that
// breaks no rule at `enforce` reports nothing at `report`, and one at `report` is never refused;
// violations name declared members only.
#include "gateway/contract/text/json_text.h"
#include "gateway/contract/validator.h"
#include "tests/fuzz/check.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sallyport::contract;

constexpr std::array schemas{
    R"({type: object, required: [a], properties: {a: {type: [integer, "null"], minimum: 0, maximum: 64},
        b: {type: string, maxLength: 5, pattern: '^[\p{L}\s]*$'}, c: {type: array, items: {type: object,
        properties: {a: {enum: [x, y, 1, null]}}}, maxItems: 3}}, dependentRequired: {b: [c]}})",
    R"({properties: {a: {multipleOf: 0.01}, b: {multipleOf: 12, exclusiveMaximum: 1e30}, c: {uniqueItems: true}},
        additionalProperties: {type: [number, string, array, object]}})",
    R"({$ref: '#/$defs/t', $defs: {t: {type: object, properties: {a: {type: integer},
        b: {anyOf: [{$ref: '#/$defs/t'}, {type: array, items: {$ref: '#/$defs/t'}}]},
        c: {oneOf: [{type: string}, {minimum: 5}, {$ref: '#/$defs/t'}]}}, additionalProperties: false}}})",
    R"({if: {properties: {a: {const: 1}}, required: [a]}, then: {required: [b]}, else: {not: {required: [c]}},
        properties: {a: {}, b: {format: uuid}, c: {format: date-time}}, minProperties: 1, maxProperties: 4,
        x-when: [{labels: {paid: false}, schema: {properties: {a: {maximum: 3}}}}]})",
    R"({items: {prefixItems: [{const: {a: [1, 2]}}, {format: ipv6}, {format: uri}], items: {minLength: 2}}})",
    "true",
};

[[nodiscard]] std::vector<std::shared_ptr<Contract const>> const& contracts() {
    static auto const all = [] {
        std::vector<std::shared_ptr<Contract const>> list;
        for (auto const* const schema : schemas) {
            auto loaded = Contract::load_schema(schema, "schema.yaml");
            if (!loaded.contract) std::abort();
            list.push_back(std::move(loaded.contract));
        }
        return list;
    }();
    return all;
}

[[nodiscard]] std::shared_ptr<Contract const> const& deep_contract() {
    static auto const contract = [] {
        std::string schema = R"({items: {$ref: '#/$defs/t'}, properties: {a: {$ref: '#/$defs/t'},
            b: {oneOf: [{$ref: '#/$defs/t'}, {type: integer}]}, c: {not: {$ref: '#/$defs/t'}}},
            uniqueItems: true})";
        for (int i = 0; i < 60; ++i)
            schema = (i % 2 == 0 ? "{anyOf: [" : "{allOf: [") + schema + "], maxItems: 9}";
        auto loaded = Contract::load_schema("{$ref: '#/$defs/t', $defs: {t: " + schema + "}}",
                                            "schema.yaml");
        if (!loaded.contract) std::abort();
        return std::move(loaded.contract);
    }();
    return contract;
}

using sallyport::fuzz::check;

// The schemas declare a, b and c only: any other name in a pointer comes from the body.
void check_pointer(std::string_view pointer) {
    while (!pointer.empty()) {
        check(pointer.front() == '/', "a pointer begins with a slash");
        pointer.remove_prefix(1);
        std::string_view const step = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(step.size());
        bool const is_index = step.find_first_not_of("0123456789") == std::string_view::npos;
        check(step == "a" || step == "b" || step == "c" || step == "*" || is_index,
              "a pointer names declared members only");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    static Validator usual;
    static Validator deep{{1024}};
    bool const is_deep = (data[0] & 0x40U) != 0;
    Validator& validator = is_deep ? deep : usual;
    auto const& contract =
        is_deep ? *deep_contract() : *contracts()[data[0] % contracts().size()];
    auto const conditions =
        contract.conditions_for((data[0] & 0x80U) != 0 ? Labels{{"paid", false}} : Labels{});
    // An allocation of its own: AddressSanitizer detects a read behind the padding.
    std::string text{reinterpret_cast<char const*>(data + 1), size - 1};
    std::size_t const length = text.size();
    text.append(body_padding, '\0');
    std::string_view const body = std::string_view{text}.substr(0, length);

    auto const schema = *contract.schema();
    Report const enforced = validator.validate(schema, body, conditions, {});
    Malformed const fault = find_fault(body, is_deep ? 1024 : ValidatorLimits{}.depth).reason;
    if (fault == Malformed::none) {
        // The second reader does not compare names.
        check(enforced.malformed == Malformed::none
                  || enforced.malformed == Malformed::duplicate_member
                  || enforced.malformed == Malformed::too_complex,
              "what the plain reader takes is JSON");
    } else {
        check(enforced.outcome == Outcome::malformed && enforced.malformed != Malformed::none,
              "what the plain reader refuses is malformed");
    }
    check((enforced.outcome == Outcome::violated) == !enforced.violations.empty(),
          "a violated body has violations");
    check(enforced.reported.empty() && enforced.violations.size() <= max_violations,
          "violations are bounded, and nothing is reported at enforce");
    for (auto const& violation : enforced.violations)
        check_pointer(violation.pointer);

    auto const levels = LevelTable::compile(contract, {Level::report, Level::off}, {});
    Report const& reported = validator.validate(schema, body, conditions, levels.table);
    check(reported.violations.empty(), "nothing is refused at report");
    check((reported.outcome == Outcome::malformed) == (enforced.outcome == Outcome::malformed),
          "well-formed JSON is wanted at every level");
    check(reported.reported.size() == enforced.violations.size(), "both levels find the same");
    return 0;
}
