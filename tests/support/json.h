// A JSON value for tests: strict, members in the order of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

class Json {
public:
    struct Member;
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

    /// Throws std::runtime_error on anything that is not exactly one JSON value in UTF-8.
    static Json parse(std::string_view text);

    Kind kind = Kind::null;
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<Json> items;
    std::vector<Member> members;

    [[nodiscard]] bool is_null() const { return kind == Kind::null; }
    [[nodiscard]] bool has(std::string_view name) const;
    /// The member, or throws.
    Json const& operator[](std::string_view name) const;
    Json const& operator[](std::size_t index) const;
    /// The string of a member; "" if it is null or absent; a number as digits.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const; // in order
};

struct Json::Member {
    std::string name;
    Json value;
};

/// As a JSON string literal, quotes included.
std::string quoted(std::string_view text);

} // namespace sallyport::test
