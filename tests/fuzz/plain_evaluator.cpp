// A plain recursive evaluator of JSON Schema 2020-12.
#include "tests/fuzz/plain_evaluator.h"

#include <algorithm>

namespace sallyport::fuzz {

namespace {

using Kind = Value::Kind;

[[nodiscard]] bool is_whole(Number const& number) {
    return boost::multiprecision::denominator(number) == 1;
}

[[nodiscard]] bool has_type(std::string const& type, Value const& value) {
    if (type == "null") return value.kind == Kind::null;
    if (type == "boolean") return value.kind == Kind::boolean;
    if (type == "number") return value.kind == Kind::number;
    if (type == "integer") return value.kind == Kind::number && is_whole(value.number);
    if (type == "string") return value.kind == Kind::string;
    if (type == "array") return value.kind == Kind::array;
    return value.kind == Kind::object;
}

[[nodiscard]] std::size_t length_of(std::string const& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

[[nodiscard]] bool is_at_least(Value const* bound, std::size_t count) {
    return bound == nullptr || Number{count} >= bound->number;
}
[[nodiscard]] bool is_at_most(Value const* bound, std::size_t count) {
    return bound == nullptr || Number{count} <= bound->number;
}

} // namespace

bool is_found(std::string const& pattern, std::string const& text) {
    if (pattern == "^a") return !text.empty() && text.front() == 'a';
    if (pattern == "b$") return !text.empty() && text.back() == 'b';
    if (pattern == "c") return text.find('c') != std::string::npos;
    if (pattern == "^[ab]*$") return text.find_first_not_of("ab") == std::string::npos;
    if (pattern == "^(?!b)(?=[^]*c)") return text.substr(0, 1) != "b" && is_found("c", text);
    // (?<!aa)b$
    bool const follows_two = text.size() > 2 && text.compare(text.size() - 3, 2, "aa") == 0;
    return is_found("b$", text) && !follows_two;
}

void PlainEvaluator::keep(Result& result, Result const& other) {
    result.members.insert(other.members.begin(), other.members.end());
    result.items.insert(other.items.begin(), other.items.end());
}

Value const& PlainEvaluator::target_of(std::string const& reference) const {
    if (reference == "#") return root_;
    constexpr std::string_view prefix = "#/$defs/";
    return *root_.find("$defs")->find(reference.substr(prefix.size()));
}

PlainEvaluator::Result PlainEvaluator::evaluate(Value const& schema, Value const& value) {
    Result result;
    if (schema.kind == Kind::boolean) {
        result.is_valid = schema.boolean;
        return result;
    }
    // An `if` without branches may refer back in place: it has no effect, and the engine does not
    // evaluate it.
    if (depth_ == most_depth) steps_ = most_steps;
    if (++steps_ > most_steps) return result;
    ++depth_;
    assertions(schema, value, result);
    if (value.kind == Kind::number) numbers(schema, value, result);
    in_place(schema, value, result);
    if (value.kind == Kind::array) arrays(schema, value, result);
    if (value.kind == Kind::object) objects(schema, value, result);
    --depth_;
    return result;
}

void PlainEvaluator::in_place(Value const& schema, Value const& value, Result& result) {
    if (Value const* const reference = schema.find("$ref")) {
        Result const other = evaluate(target_of(reference->text), value);
        if (other.is_valid) keep(result, other);
        result.is_valid = result.is_valid && other.is_valid;
    }
    for (auto const* const keyword : {"allOf", "anyOf", "oneOf"}) {
        Value const* const list = schema.find(keyword);
        if (list == nullptr) continue;
        std::size_t fitting = 0;
        Result all;
        for (Value const& one : list->items) {
            Result const other = evaluate(one, value);
            if (!other.is_valid) continue;
            ++fitting;
            keep(all, other);
        }
        std::string const name{keyword};
        bool const holds = name == "allOf"   ? fitting == list->items.size()
                           : name == "anyOf" ? fitting > 0
                                             : fitting == 1;
        if (holds) keep(result, all);
        result.is_valid = result.is_valid && holds;
    }
    if (Value const* const negated = schema.find("not")) {
        if (evaluate(*negated, value).is_valid) result.is_valid = false;
    }
    if (Value const* const condition = schema.find("if")) {
        Result const condition_result = evaluate(*condition, value);
        if (condition_result.is_valid) keep(result, condition_result);
        Value const* const next = schema.find(condition_result.is_valid ? "then" : "else");
        if (next != nullptr) {
            Result const other = evaluate(*next, value);
            if (other.is_valid) keep(result, other);
            result.is_valid = result.is_valid && other.is_valid;
        }
    }
}

void PlainEvaluator::assertions(Value const& schema, Value const& value, Result& result) const {
    bool holds = true;
    if (Value const* const type = schema.find("type")) {
        holds = type->kind == Kind::string
                    ? has_type(type->text, value)
                    : std::any_of(type->items.begin(), type->items.end(),
                                  [&value](Value const& one) { return has_type(one.text, value); });
    }
    if (Value const* const constant = schema.find("const")) {
        holds = holds && is_equal(*constant, value);
    }
    if (Value const* const list = schema.find("enum")) {
        holds = holds
                && std::any_of(list->items.begin(), list->items.end(),
                               [&value](Value const& one) { return is_equal(one, value); });
    }
    if (value.kind == Kind::string) {
        std::size_t const length = length_of(value.text);
        holds = holds && is_at_least(schema.find("minLength"), length)
                && is_at_most(schema.find("maxLength"), length);
        Value const* const pattern = schema.find("pattern");
        holds = holds && (pattern == nullptr || is_found(pattern->text, value.text));
    }
    result.is_valid = result.is_valid && holds;
}

void PlainEvaluator::numbers(Value const& schema, Value const& value, Result& result) const {
    bool holds = true;
    if (Value const* const bound = schema.find("minimum")) {
        holds = holds && value.number >= bound->number;
    }
    if (Value const* const bound = schema.find("maximum")) {
        holds = holds && value.number <= bound->number;
    }
    if (Value const* const bound = schema.find("exclusiveMinimum")) {
        holds = holds && value.number > bound->number;
    }
    if (Value const* const bound = schema.find("exclusiveMaximum")) {
        holds = holds && value.number < bound->number;
    }
    if (Value const* const divisor = schema.find("multipleOf")) {
        holds = holds && is_whole(Number{value.number / divisor->number});
    }
    result.is_valid = result.is_valid && holds;
}

void PlainEvaluator::arrays(Value const& schema, Value const& value, Result& result) {
    bool holds = is_at_least(schema.find("minItems"), value.items.size())
                 && is_at_most(schema.find("maxItems"), value.items.size());
    if (Value const* const unique = schema.find("uniqueItems"); unique && unique->boolean) {
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                holds = holds && !is_equal(value.items[i], value.items[j]);
        }
    }
    Value const* const prefix = schema.find("prefixItems");
    Value const* const rest = schema.find("items");
    std::size_t const prefixed = prefix != nullptr ? prefix->items.size() : 0;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        Value const* const one = i < prefixed ? &prefix->items[i] : rest;
        if (one == nullptr) continue;
        holds = evaluate(*one, value.items[i]).is_valid && holds;
        result.items.insert(i);
    }
    if (Value const* const contains = schema.find("contains")) {
        std::size_t fitting = 0;
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            if (!evaluate(*contains, value.items[i]).is_valid) continue;
            ++fitting;
            result.items.insert(i);
        }
        Value const* const least = schema.find("minContains");
        holds = holds && (least != nullptr ? is_at_least(least, fitting) : fitting > 0)
                && is_at_most(schema.find("maxContains"), fitting);
    }
    if (Value const* const others = schema.find("unevaluatedItems")) {
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            if (!result.items.insert(i).second) continue;
            holds = evaluate(*others, value.items[i]).is_valid && holds;
        }
    }
    result.is_valid = result.is_valid && holds;
}

void PlainEvaluator::object_counts(Value const& schema, Value const& value, Result& result) {
    bool holds = is_at_least(schema.find("minProperties"), value.members.size())
                 && is_at_most(schema.find("maxProperties"), value.members.size());
    auto const has_all = [&value](Value const& names) {
        return std::all_of(names.items.begin(), names.items.end(), [&value](Value const& name) {
            return value.find(name.text) != nullptr;
        });
    };
    if (Value const* const required = schema.find("required")) holds = holds && has_all(*required);
    if (Value const* const dependent = schema.find("dependentRequired")) {
        for (auto const& [name, names] : dependent->members) {
            holds = holds && (value.find(name) == nullptr || has_all(names));
        }
    }
    if (Value const* const names = schema.find("propertyNames")) {
        for (auto const& [name, member] : value.members)
            holds = evaluate(*names, string_value(name)).is_valid && holds;
    }
    result.is_valid = result.is_valid && holds;
}

void PlainEvaluator::objects(Value const& schema, Value const& value, Result& result) {
    object_counts(schema, value, result);
    bool holds = true;
    Value const* const properties = schema.find("properties");
    Value const* const patterns = schema.find("patternProperties");
    Value const* const additional = schema.find("additionalProperties");
    for (auto const& [name, member] : value.members) {
        bool is_met = false;
        if (Value const* const own = properties != nullptr ? properties->find(name) : nullptr) {
            is_met = true;
            holds = evaluate(*own, member).is_valid && holds;
        }
        if (patterns != nullptr) {
            for (auto const& [pattern, one] : patterns->members) {
                if (!is_found(pattern, name)) continue;
                is_met = true;
                holds = evaluate(one, member).is_valid && holds;
            }
        }
        if (!is_met && additional != nullptr) {
            is_met = true;
            holds = evaluate(*additional, member).is_valid && holds;
        }
        if (is_met) result.members.insert(name);
    }
    if (Value const* const dependent = schema.find("dependentSchemas")) {
        for (auto const& [name, one] : dependent->members) {
            if (value.find(name) == nullptr) continue;
            Result const other = evaluate(one, value);
            if (other.is_valid) keep(result, other);
            holds = holds && other.is_valid;
        }
    }
    if (Value const* const others = schema.find("unevaluatedProperties")) {
        for (auto const& [name, member] : value.members) {
            if (!result.members.insert(name).second) continue;
            holds = evaluate(*others, member).is_valid && holds;
        }
    }
    result.is_valid = result.is_valid && holds;
}

} // namespace sallyport::fuzz
