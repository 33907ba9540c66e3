// Parses the expressions of filters, and checks their types (RFC 9535, 2.3.5 and 2.4).
#include "gateway/contract/overlay/jsonpath_parser.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::contract::jsonpath {

namespace {

enum class Type : std::uint8_t { value, nodes, logical };

struct FunctionRow {
    std::string_view name;
    Function function;
    Type result;
    std::size_t arguments;
    Type argument; // of each
};

constexpr std::array functions{
    FunctionRow{"length", Function::length, Type::value, 1, Type::value},
    FunctionRow{"count", Function::count, Type::value, 1, Type::nodes},
    FunctionRow{"match", Function::match, Type::logical, 2, Type::value},
    FunctionRow{"search", Function::search, Type::logical, 2, Type::value},
    FunctionRow{"value", Function::value, Type::value, 1, Type::nodes},
};

[[nodiscard]] FunctionRow const& row_of(Function function) {
    return functions[static_cast<std::size_t>(function)];
}

// Without those that a longer one begins with in front of it.
constexpr std::array comparisons{
    std::pair{std::string_view{"=="}, Comparison::equal},
    std::pair{std::string_view{"!="}, Comparison::not_equal},
    std::pair{std::string_view{"<="}, Comparison::less_or_equal},
    std::pair{std::string_view{">="}, Comparison::greater_or_equal},
    std::pair{std::string_view{"<"}, Comparison::less},
    std::pair{std::string_view{">"}, Comparison::greater},
};

[[nodiscard]] bool is_in_function_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || text::is_digit(c) || c == '_';
}

} // namespace

bool Parser::read_any_of(Expression& out) {
    out.kind = Expression::Kind::any_of;
    while (true) {
        if (!read_all_of(out.parts.emplace_back())) return false;
        std::size_t const before = at_;
        skip_space();
        if (!take("||")) {
            at_ = before;
            return true;
        }
        skip_space();
    }
}

bool Parser::read_all_of(Expression& out) {
    out.kind = Expression::Kind::all_of;
    while (true) {
        if (!read_basic(out.parts.emplace_back())) return false;
        std::size_t const before = at_;
        skip_space();
        if (!take("&&")) {
            at_ = before;
            return true;
        }
        skip_space();
    }
}

// RFC 9535, 2.3.5.1: basic-expr.
bool Parser::read_basic(Expression& out) {
    if (peek() == '!') return read_negation(out);
    if (peek() == '(') return read_parentheses(out);
    std::size_t const begin = at_;
    Expression left;
    if (!read_operand(left)) return false;
    std::size_t const before = at_;
    skip_space();
    auto const comparison = take_comparison();
    if (!comparison) {
        at_ = before;
        if (!check_test(left, begin)) return false;
        out = std::move(left);
        return true;
    }
    if (!check_comparable(left, begin)) return false;
    skip_space();
    std::size_t const second = at_;
    out.kind = Expression::Kind::comparison;
    out.comparison = *comparison;
    out.parts.push_back(std::move(left));
    return read_operand(out.parts.emplace_back()) && check_comparable(out.parts.back(), second);
}

bool Parser::read_negation(Expression& out) {
    ++at_;
    skip_space();
    out.kind = Expression::Kind::negation;
    Expression& part = out.parts.emplace_back();
    if (peek() == '(') return read_parentheses(part);
    std::size_t const begin = at_;
    return read_operand(part) && check_test(part, begin);
}

bool Parser::read_parentheses(Expression& out) {
    std::size_t const begin = at_++;
    if (++nesting_ > max_nesting) {
        return fail("more than " + std::to_string(max_nesting) + " parentheses in each other");
    }
    skip_space();
    if (!read_any_of(out)) return false;
    skip_space();
    --nesting_;
    if (take(")")) return true;
    return at_end() ? fail_at(begin, "'(' without its ')'", "close it") : fail("')' is missing");
}

// A literal, a query or a function.
bool Parser::read_operand(Expression& out) {
    char const c = peek();
    if (c == '$' || c == '@') {
        out.kind = Expression::Kind::query;
        return read_query(out.query);
    }
    out.kind = Expression::Kind::literal;
    if (c == '\'' || c == '"') {
        out.literal.kind = Literal::Kind::string;
        return read_string(out.literal.text);
    }
    if (c == '-' || text::is_digit(c)) return read_number(out.literal);
    if (c >= 'a' && c <= 'z') return read_function(out);
    return fail("an expression is missing",
                "write @ and a path below it, a string in quotes, a number, or a function");
}

// A function, or one of the words true, false and null.
bool Parser::read_function(Expression& out) {
    std::size_t const begin = at_;
    while (is_in_function_name(peek()))
        ++at_;
    std::string_view const name = text_.substr(begin, at_ - begin);
    if (peek() != '(') {
        out.literal.boolean = name == "true";
        out.literal.kind = name == "null" ? Literal::Kind::null : Literal::Kind::boolean;
        if (name == "true" || name == "false" || name == "null") return true;
        return fail_at(begin, config::in_quotes(name) + " is neither a literal nor a function",
                       "put a string in quotes; write @. in front of the name of a property");
    }
    auto const row = std::find_if(functions.begin(), functions.end(),
                                  [name](FunctionRow const& one) { return one.name == name; });
    if (row == functions.end()) {
        return fail_at(begin, "the function " + config::in_quotes(name) + " is unknown",
                       "write one of length, count, match, search, value");
    }
    out.kind = Expression::Kind::function;
    out.function = row->function;
    if (++nesting_ > max_nesting) {
        return fail("more than " + std::to_string(max_nesting) + " functions in each other");
    }
    if (!read_arguments(out)) return false;
    --nesting_;
    return check_arguments(out, begin);
}

bool Parser::read_arguments(Expression& out) {
    std::size_t const begin = at_++;
    skip_space();
    if (take(")")) return true;
    do {
        skip_space();
        // No function takes the result of a comparison.
        if (!read_operand(out.parts.emplace_back())) return false;
        skip_space();
    } while (take(","));
    if (take(")")) return true;
    return at_end() ? fail_at(begin, "'(' without its ')'", "close it")
                    : fail("',' or ')' is missing");
}

// RFC 9535, 2.4.3: well-typedness.
bool Parser::check_arguments(Expression const& call, std::size_t at) {
    FunctionRow const& row = row_of(call.function);
    std::string const name = std::string{row.name} + "()";
    if (call.parts.size() != row.arguments) {
        return fail_at(at, name + " takes " + std::to_string(row.arguments)
                               + (row.arguments == 1 ? " argument" : " arguments"));
    }
    for (Expression const& argument : call.parts) {
        bool const is_query = argument.kind == Expression::Kind::query;
        if (row.argument == Type::nodes) {
            if (!is_query) return fail_at(at, name + " takes a query", "write @ or $ and a path");
            continue;
        }
        bool const is_logical = argument.kind == Expression::Kind::function
                                && row_of(argument.function).result == Type::logical;
        if (is_logical || (is_query && !argument.query.is_singular())) {
            return fail_at(at, name + " takes one value",
                           "write a query without wildcards, or value() around it");
        }
    }
    return true;
}

// As a test stands a query, or a function whose result is true or false.
bool Parser::check_test(Expression const& operand, std::size_t at) {
    if (operand.kind == Expression::Kind::query) return true;
    bool const is_logical = operand.kind == Expression::Kind::function
                            && row_of(operand.function).result == Type::logical;
    if (is_logical) return true;
    return fail_at(at, "a value stands where a condition is expected",
                   "compare it: == and a value");
}

bool Parser::check_comparable(Expression const& operand, std::size_t at) {
    if (operand.kind == Expression::Kind::literal) return true;
    if (operand.kind == Expression::Kind::query) {
        if (operand.query.is_singular()) return true;
        return fail_at(at, "a query that may select several nodes cannot be compared",
                       "write a filter inside it, such as @.tags[?@ == 'a']");
    }
    if (row_of(operand.function).result == Type::value) return true;
    return fail_at(
        at, "the result of " + std::string{row_of(operand.function).name} + "() cannot be compared",
        "use it as it is");
}

std::optional<Comparison> Parser::take_comparison() {
    for (auto const& [text, comparison] : comparisons) {
        if (take(text)) return comparison;
    }
    return std::nullopt;
}

} // namespace sallyport::contract::jsonpath
