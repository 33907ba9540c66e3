// Evaluates the expressions of filters: values, comparisons, functions (RFC 9535, 2.3.5 and 2.4).
#include "gateway/contract/overlay/jsonpath_evaluator.h"

#include "gateway/text/utf8.h"

#include <algorithm>

namespace sallyport::contract::jsonpath {

namespace {

constexpr std::uint64_t bytes_per_unit = 64; // of texts that are compared

[[nodiscard]] Value value_of_node(Node const& node) {
    Value out;
    switch (node.kind()) {
    case config::yaml::Kind::null: out.kind = Value::Kind::null; break;
    case config::yaml::Kind::boolean:
        out.kind = Value::Kind::boolean;
        out.boolean = node.as_boolean();
        break;
    case config::yaml::Kind::integer:
        out.kind = Value::Kind::integer;
        out.integer = node.as_integer();
        out.number = node.as_number();
        break;
    case config::yaml::Kind::number:
        out.kind = Value::Kind::number;
        out.number = node.as_number();
        break;
    case config::yaml::Kind::string:
        out.kind = Value::Kind::string;
        out.text = node.text();
        break;
    case config::yaml::Kind::sequence:
    case config::yaml::Kind::mapping: out.kind = Value::Kind::container; out.node = &node;
    }
    return out;
}

[[nodiscard]] Value value_of_literal(Literal const& literal) {
    Value out;
    switch (literal.kind) {
    case Literal::Kind::null: out.kind = Value::Kind::null; break;
    case Literal::Kind::boolean: out.kind = Value::Kind::boolean; break;
    case Literal::Kind::integer: out.kind = Value::Kind::integer; break;
    case Literal::Kind::number: out.kind = Value::Kind::number; break;
    case Literal::Kind::string: out.kind = Value::Kind::string; break;
    }
    out.boolean = literal.boolean;
    out.integer = literal.integer;
    out.number = literal.number;
    out.text = literal.text;
    return out;
}

[[nodiscard]] Value value_of_count(std::size_t count) {
    Value out;
    out.kind = Value::Kind::integer;
    out.integer = static_cast<std::int64_t>(count);
    out.number = static_cast<double>(count);
    return out;
}

// RFC 9535, 2.3.5.2.2: only numbers and strings have an order. That of UTF-8 is that of code
// points.
[[nodiscard]] bool is_less(Value const& left, Value const& right) {
    if (left.is_number() && right.is_number()) {
        bool const are_integers =
            left.kind == Value::Kind::integer && right.kind == Value::Kind::integer;
        return are_integers ? left.integer < right.integer : left.number < right.number;
    }
    bool const are_strings = left.kind == Value::Kind::string && right.kind == Value::Kind::string;
    return are_strings && left.text < right.text;
}

} // namespace

bool Evaluator::holds(Expression const& expression, Node const& current) {
    auto const part_holds = [this, &current](Expression const& part) {
        return !has_stopped_ && holds(part, current);
    };
    auto const& parts = expression.parts;
    switch (expression.kind) {
    case Expression::Kind::any_of: return std::any_of(parts.begin(), parts.end(), part_holds);
    case Expression::Kind::all_of: return std::all_of(parts.begin(), parts.end(), part_holds);
    case Expression::Kind::negation: return !part_holds(parts.front());
    case Expression::Kind::comparison: return compare(expression, current);
    case Expression::Kind::query: return !nodes_of(expression.query, current).empty();
    case Expression::Kind::function: return matches(expression, current);
    case Expression::Kind::literal: break; // the parser refuses it as a test
    }
    return false;
}

// RFC 9535, 2.3.5.2.2.
bool Evaluator::compare(Expression const& expression, Node const& current) {
    Value const left = value_of(expression.parts[0], current);
    Value const right = value_of(expression.parts[1], current);
    if (!work_.take(1 + std::min(left.text.size(), right.text.size()) / bytes_per_unit)) {
        has_stopped_ = true;
        return false;
    }
    switch (expression.comparison) {
    case Comparison::equal: return are_equal(left, right);
    case Comparison::not_equal: return !are_equal(left, right);
    case Comparison::less: return is_less(left, right);
    case Comparison::less_or_equal: return is_less(left, right) || are_equal(left, right);
    case Comparison::greater: return is_less(right, left);
    case Comparison::greater_or_equal: return is_less(right, left) || are_equal(left, right);
    }
    return false;
}

bool Evaluator::are_equal(Value const& left, Value const& right) {
    if (left.is_number() && right.is_number()) {
        bool const are_integers =
            left.kind == Value::Kind::integer && right.kind == Value::Kind::integer;
        return are_integers ? left.integer == right.integer : left.number == right.number;
    }
    if (left.kind != right.kind) return false;
    switch (left.kind) {
    case Value::Kind::boolean: return left.boolean == right.boolean;
    case Value::Kind::string: return left.text == right.text;
    case Value::Kind::container: return are_equal(*left.node, *right.node);
    default: return true; // both nothing, or both null
    }
}

bool Evaluator::are_equal(Node const& left, Node const& right) {
    if (!work_.take(1 + left.text().size() / bytes_per_unit)) has_stopped_ = true;
    if (has_stopped_) return false;
    if (left.is_sequence() && right.is_sequence()) {
        auto const is_same = [this](Node const& a, Node const& b) { return are_equal(a, b); };
        return std::equal(left.items().begin(), left.items().end(), right.items().begin(),
                          right.items().end(), is_same);
    }
    if (left.is_mapping() && right.is_mapping()) {
        return left.entries().size() == right.entries().size()
               && std::all_of(left.entries().begin(), left.entries().end(),
                              [this, &right](Entry const& entry) {
                                  Node const* const other = right.find(entry.key);
                                  return other != nullptr && are_equal(entry.value, *other);
                              });
    }
    if (!left.is_scalar() || !right.is_scalar()) return false;
    return are_equal(value_of_node(left), value_of_node(right));
}

std::vector<Evaluator::Found> Evaluator::nodes_of(Query const& query, Node const& current) {
    std::vector<Found> out;
    run(query, {query.start == Query::Start::root ? &root_ : &current, no_place}, out);
    return out;
}

Value Evaluator::value_of(Expression const& expression, Node const& current) {
    switch (expression.kind) {
    case Expression::Kind::literal: return value_of_literal(expression.literal);
    case Expression::Kind::function: return result_of(expression, current);
    case Expression::Kind::query: {
        auto const nodes = nodes_of(expression.query, current);
        return nodes.size() == 1 ? value_of_node(*nodes.front().node) : Value{};
    }
    default: return {}; // the parser refuses others as values
    }
}

// RFC 9535, 2.4.4, 2.4.5 and 2.4.8.
Value Evaluator::result_of(Expression const& call, Node const& current) {
    Expression const& argument = call.parts.front();
    // value() is that of a query that selects one node.
    if (call.function == Function::value) return value_of(argument, current);
    if (call.function == Function::count) {
        return value_of_count(nodes_of(argument.query, current).size());
    }
    Value const value = value_of(argument, current);
    if (value.kind == Value::Kind::string) {
        if (!work_.take(value.text.size() / bytes_per_unit)) has_stopped_ = true;
        return value_of_count(text::count_code_points(value.text));
    }
    if (value.kind != Value::Kind::container) return {};
    return value_of_count(value.node->items().size() + value.node->entries().size());
}

// RFC 9535, 2.4.6 and 2.4.7: false for anything but strings and an I-Regexp.
bool Evaluator::matches(Expression const& call, Node const& current) {
    Value const value = value_of(call.parts[0], current);
    Value const pattern = value_of(call.parts[1], current);
    if (value.kind != Value::Kind::string || pattern.kind != Value::Kind::string) return false;
    Pattern const* const compiled = pattern_for(
        pattern.text, call.function == Function::match ? Extent::whole : Extent::anywhere);
    if (compiled == nullptr) return false;
    if (!work_.take(1 + compiled->most_looks(value.text.size()) / bytes_per_unit)) {
        has_stopped_ = true;
        return false;
    }
    return compiled->is_in(value.text);
}

Pattern const* Evaluator::pattern_for(std::string_view text, Extent extent) {
    std::pair<std::string, Extent> key{text, extent};
    if (auto const known = patterns_.find(key); known != patterns_.end()) {
        return known->second.get();
    }
    constexpr std::uint64_t cost = 10'000;
    if (patterns_.size() >= max_patterns || !work_.take(cost)) {
        has_stopped_ = true;
        return nullptr;
    }
    auto translated = translate_iregexp(text, extent);
    Pattern::Made made;
    if (translated.error.empty()) {
        made = Pattern::make(translated.text);
        translated.error = made.error;
    }
    if (made.pattern == nullptr && bad_pattern_.empty()) {
        bad_pattern_ = text;
        pattern_error_ = translated.error;
    }
    return patterns_.emplace(std::move(key), std::move(made.pattern)).first->second.get();
}

} // namespace sallyport::contract::jsonpath
