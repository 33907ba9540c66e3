// Finds names of a query that some readers take for a declared parameter.
#include "gateway/contract/evaluate/query_names.h"

#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/text/digits.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// One decoding of anything: what is no UTF-8 may be a name to somebody.
void decode_name(std::string_view raw, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        bool const is_escape = raw[at] == '%' && at + 2 < raw.size() && hex_value(raw[at + 1]) >= 0
                               && hex_value(raw[at + 2]) >= 0;
        if (is_escape) {
            out += static_cast<char>(hex_value(raw[at + 1]) * 16 + hex_value(raw[at + 2]));
            at += 2;
        } else {
            out += raw[at] == '+' ? ' ' : raw[at];
        }
    }
}

constexpr bool is_blank(char c) {
    return (c >= 0 && c <= ' ') || c == '\x7f';
}

// Without a NUL and what follows it, and without white space and control characters at both ends.
std::string_view trim(std::string_view name) noexcept {
    name = name.substr(0, name.find('\0'));
    while (!name.empty() && is_blank(name.front()))
        name.remove_prefix(1);
    while (!name.empty() && is_blank(name.back()))
        name.remove_suffix(1);
    return name;
}

// As PHP has it in variables, and in lower case.
constexpr char folded(char c) {
    if (c == ' ' || c == '.' || c == '[') return '_';
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

bool is_alike(std::string_view name, std::string_view other) noexcept {
    return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                      [](char a, char b) { return folded(a) == folded(b); });
}

std::string_view without_brackets(std::string_view name) noexcept {
    return name.substr(0, name.find('[', 1));
}

// Of `a[b]c` nobody reads the c.
std::string_view without_rest(std::string_view name) noexcept {
    auto const bracket = name.rfind(']');
    return bracket == std::string_view::npos ? name : name.substr(0, bracket + 1);
}

// `name` is decoded; `declared` is what a pair of the parameter is named, or begins with.
bool may_be_read_as(std::string_view name, std::string_view declared) noexcept {
    auto const plain = trim(name);
    if (declared.ends_with("[]")) declared.remove_suffix(2);
    // `page[size]` and `page[number]` are parameters of their own: there the brackets count.
    if (declared.find('[') != std::string_view::npos)
        return is_alike(without_rest(plain), declared);
    return is_alike(plain, declared) || is_alike(without_brackets(plain), declared);
}

bool may_be_read_as(std::string_view name, Parameter const& parameter) noexcept {
    if (!parameter.is_spread()) return may_be_read_as(name, parameter.name);
    return std::any_of(parameter.members.begin(), parameter.members.end(),
                       [name](auto const& member) { return may_be_read_as(name, member.name); });
}

// Whether `&` alone parts it from what stands before it: else its value was not judged either.
enum class Parted : std::uint8_t { by_ampersand, by_semicolon };

Parameter const* find_disguised_name(std::vector<Parameter> const& declared, std::string_view raw,
                                     Parted parted, std::string& scratch) {
    decode_name(raw, scratch);
    std::string_view const name{scratch};
    // Of its own name check_query() judges the value.
    auto const is_own = [name](Parameter const& one) { return is_named(one, name); };
    bool const is_judged =
        parted == Parted::by_ampersand && std::any_of(declared.begin(), declared.end(), is_own);
    if (is_judged || name.empty()) return nullptr;
    auto const found =
        std::find_if(declared.begin(), declared.end(), [name](Parameter const& parameter) {
            return may_be_read_as(name, parameter);
        });
    return found == declared.end() ? nullptr : &*found;
}

} // namespace

Parameter const* find_disguised(std::vector<Parameter> const& declared, std::string_view query,
                                std::string& scratch) {
    auto parted = Parted::by_ampersand;
    while (!query.empty()) {
        auto const end = std::min(query.find_first_of("&;"), query.size());
        auto const pair = query.substr(0, end);
        auto const* const found =
            find_disguised_name(declared, pair.substr(0, pair.find('=')), parted, scratch);
        if (found != nullptr) return found;
        bool const is_semicolon = end < query.size() && query[end] == ';';
        parted = is_semicolon ? Parted::by_semicolon : Parted::by_ampersand;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return nullptr;
}

} // namespace sallyport::contract
