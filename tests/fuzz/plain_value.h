// JSON values as a plain tree with exact numbers, for the evaluator with which the engine is
// compared.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <string>
#include <vector>

namespace sallyport::fuzz {

using Number = boost::multiprecision::cpp_rational;

struct Member;

struct Value {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    bool boolean = false;
    Number number;
    std::string text; // of a string its characters (UTF-8), of a number its spelling
    std::vector<Value> items;
    std::vector<Member> members; // unique names

    [[nodiscard]] Value const* find(std::string const& wanted) const;
};

struct Member {
    std::string name;
    Value value;
};

[[nodiscard]] bool is_equal(Value const& left, Value const& right);
void append_json(std::string& out, Value const& value);

/// mantissa * 10^exponent, written with `style`: 0 plain if possible, 1 with `e`, 2 with a `.0`.
[[nodiscard]] Value number_value(long mantissa, int exponent, unsigned style);
[[nodiscard]] Value string_value(std::string text);
[[nodiscard]] Value boolean_value(bool value);

} // namespace sallyport::fuzz
