// Schemas and values built from the bytes of a fuzzer.
#include "tests/fuzz/random_schema.h"

#include <array>
#include <string>

namespace sallyport::fuzz {

namespace {

using namespace std::string_literals;

// Two differ only at positions that lookups by ends do not read.
constexpr std::array names{"a",
                           "b",
                           "c",
                           "ab",
                           "",
                           "bc",
                           "a",
                           "b",
                           "c",
                           "abcdefgh",
                           "maximum_of1",
                           "a_long_name_that_ends_so",
                           "a_long_nxme_that_ends_so"};
constexpr std::array texts{"",
                           "a_long_name_that_ends_so",
                           "a_long_nxme_that_ends_so",
                           "a",
                           "b",
                           "ab",
                           "abc",
                           "\xC3\xA9",
                           "\xF0\x9F\x98\x80"
                           "b"};
constexpr std::array patterns{"^a", "b$", "c", "^[ab]*$", "^(?!b)(?=[^]*c)", "(?<!aa)b$"};
constexpr std::array types{"null", "boolean", "integer", "number", "string", "array", "object"};

[[nodiscard]] Value make(Value::Kind kind) {
    Value value;
    value.kind = kind;
    return value;
}

[[nodiscard]] Value random_number(Bytes& bytes) {
    constexpr std::array<long, 10> mantissas{0, 1, 2, 3, -1, -3, 5, 10, 9223372036854775807, 7};
    constexpr std::array<int, 6> exponents{0, 0, -1, 1, -2, 19};
    long const mantissa = mantissas[bytes.below(10)];
    return number_value(mantissa, exponents[bytes.below(6)], bytes.below(3));
}

[[nodiscard]] std::string random_name(Bytes& bytes) {
    return names[bytes.below(static_cast<unsigned>(names.size()))];
}

void put(Value& object, std::string const& name, Value value) {
    if (object.find(name) == nullptr) object.members.push_back({name, std::move(value)});
}

[[nodiscard]] Value names_list(Bytes& bytes) {
    Value list = make(Value::Kind::array);
    unsigned const count = bytes.below(3);
    for (unsigned i = 0; i < count; ++i) {
        Value name = string_value(random_name(bytes));
        bool is_new = true;
        for (Value const& other : list.items)
            is_new = is_new && other.text != name.text;
        if (is_new) list.items.push_back(std::move(name));
    }
    return list;
}

[[nodiscard]] Value sub_schema(Bytes& bytes, unsigned depth);

[[nodiscard]] Value schema_list(Bytes& bytes, unsigned depth) {
    Value list = make(Value::Kind::array);
    unsigned const count = 1 + bytes.below(3);
    for (unsigned i = 0; i < count; ++i)
        list.items.push_back(sub_schema(bytes, depth));
    return list;
}

[[nodiscard]] Value schema_map(Bytes& bytes, unsigned depth) {
    Value map = make(Value::Kind::object);
    unsigned const count = 1 + bytes.below(3);
    for (unsigned i = 0; i < count; ++i) {
        std::string const name = random_name(bytes);
        put(map, name, sub_schema(bytes, depth));
    }
    return map;
}

void put_assertion(Value& schema, Bytes& bytes) {
    Value one = number_value(static_cast<long>(bytes.below(4)), 0, bytes.below(3));
    switch (bytes.below(17)) {
    case 0: return put(schema, "type", string_value(types[bytes.below(7)]));
    case 1: {
        Value list = make(Value::Kind::array);
        unsigned const first = bytes.below(7);
        unsigned const second = bytes.below(7);
        list.items.push_back(string_value(types[first]));
        if (second != first) list.items.push_back(string_value(types[second]));
        return put(schema, "type", std::move(list));
    }
    case 2: return put(schema, "const", random_value(bytes, 2));
    case 3: {
        Value list = make(Value::Kind::array);
        unsigned const count = bytes.below(4);
        for (unsigned i = 0; i < count; ++i)
            list.items.push_back(random_value(bytes, 2));
        return put(schema, "enum", std::move(list));
    }
    case 4: return put(schema, "minimum", random_number(bytes));
    case 5: return put(schema, "maximum", random_number(bytes));
    case 6: return put(schema, "exclusiveMinimum", random_number(bytes));
    case 7: return put(schema, "exclusiveMaximum", random_number(bytes));
    case 8: {
        constexpr std::array<std::pair<long, int>, 6> divisors{
            {{1, 0}, {2, 0}, {5, -1}, {1, -2}, {3, 0}, {25, -2}}};
        auto const [mantissa, exponent] = divisors[bytes.below(6)];
        return put(schema, "multipleOf", number_value(mantissa, exponent, 0));
    }
    case 9: return put(schema, "minLength", std::move(one));
    case 10: return put(schema, "maxLength", std::move(one));
    case 11: return put(schema, "pattern", string_value(patterns[bytes.below(6)]));
    case 12: return put(schema, "minItems", std::move(one));
    case 13: return put(schema, "maxItems", std::move(one));
    case 14: return put(schema, "uniqueItems", boolean_value(bytes.below(4) != 0));
    case 15: return put(schema, "minProperties", std::move(one));
    default: return put(schema, "maxProperties", std::move(one));
    }
}

void put_applicator(Value& schema, Bytes& bytes, unsigned depth) {
    switch (bytes.below(19)) {
    case 0: return put(schema, "allOf", schema_list(bytes, depth));
    case 1: return put(schema, "anyOf", schema_list(bytes, depth));
    case 2: return put(schema, "oneOf", schema_list(bytes, depth));
    case 3: return put(schema, "not", sub_schema(bytes, depth));
    case 4:
        put(schema, "if", sub_schema(bytes, depth));
        if (bytes.below(4) != 0) put(schema, "then", sub_schema(bytes, depth));
        if (bytes.below(4) != 0) put(schema, "else", sub_schema(bytes, depth));
        return;
    case 5: return put(schema, "items", sub_schema(bytes, depth));
    case 6: return put(schema, "prefixItems", schema_list(bytes, depth));
    case 7:
        put(schema, "contains", sub_schema(bytes, depth));
        if (bytes.below(2) != 0) put(schema, "minContains", number_value(bytes.below(3), 0, 0));
        if (bytes.below(2) != 0) put(schema, "maxContains", number_value(bytes.below(3), 0, 0));
        return;
    case 8: return put(schema, "unevaluatedItems", sub_schema(bytes, depth));
    case 9:
    case 10: return put(schema, "properties", schema_map(bytes, depth));
    case 11: {
        Value map = make(Value::Kind::object);
        std::string const pattern = patterns[bytes.below(6)];
        put(map, pattern, sub_schema(bytes, depth));
        return put(schema, "patternProperties", std::move(map));
    }
    case 12: return put(schema, "additionalProperties", sub_schema(bytes, depth));
    case 13: return put(schema, "unevaluatedProperties", sub_schema(bytes, depth));
    case 14: return put(schema, "required", names_list(bytes));
    case 15: {
        Value map = make(Value::Kind::object);
        std::string const name = random_name(bytes);
        put(map, name, names_list(bytes));
        return put(schema, "dependentRequired", std::move(map));
    }
    case 16: return put(schema, "dependentSchemas", schema_map(bytes, depth));
    case 17: return put(schema, "propertyNames", sub_schema(bytes, depth));
    default: {
        constexpr std::array references{"#", "#/$defs/x", "#/$defs/y", "#/$defs/z"};
        return put(schema, "$ref", string_value(references[bytes.below(4)]));
    }
    }
}

Value sub_schema(Bytes& bytes, unsigned depth) {
    unsigned const choice = bytes.below(8);
    if (choice == 0) return boolean_value(bytes.below(2) != 0);
    Value schema = make(Value::Kind::object);
    unsigned const assertions = bytes.below(3);
    for (unsigned i = 0; i < assertions; ++i)
        put_assertion(schema, bytes);
    unsigned const applicators = depth == 0 ? 0 : bytes.below(4);
    for (unsigned i = 0; i < applicators; ++i)
        put_applicator(schema, bytes, depth - 1);
    return schema;
}

} // namespace

Value random_value(Bytes& bytes, unsigned depth) {
    switch (bytes.below(depth == 0 ? 5 : 9)) {
    case 0: return make(Value::Kind::null);
    case 1: return boolean_value(bytes.below(2) != 0);
    case 2:
    case 3: return random_number(bytes);
    case 4: return string_value(texts[bytes.below(static_cast<unsigned>(texts.size()))]);
    case 5:
    case 6: {
        Value list = make(Value::Kind::array);
        unsigned const count = bytes.below(5);
        for (unsigned i = 0; i < count; ++i)
            list.items.push_back(random_value(bytes, depth - 1));
        return list;
    }
    default: break;
    }
    Value object = make(Value::Kind::object);
    unsigned const count = bytes.below(5);
    for (unsigned i = 0; i < count; ++i) {
        std::string const name = random_name(bytes);
        put(object, name, random_value(bytes, depth - 1));
    }
    return object;
}

Value random_schema(Bytes& bytes) {
    Value schema = sub_schema(bytes, 3);
    if (schema.kind != Value::Kind::object) return schema;
    Value definitions = make(Value::Kind::object);
    for (auto const* const name : {"x", "y", "z"})
        put(definitions, name, sub_schema(bytes, 2));
    put(schema, "$defs", std::move(definitions));
    return schema;
}

} // namespace sallyport::fuzz
