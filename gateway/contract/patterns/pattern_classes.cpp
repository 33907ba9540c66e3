// Classes and properties of ECMA-262 in RE2's syntax.
#include "gateway/contract/patterns/pattern_classes.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace {

struct Category {
    std::string_view name;
    std::string_view alias;
};

// Unicode's PropertyValueAliases for General_Category, except for Cn, C (which contains it) and LC:
// RE2 does not support them.
constexpr std::array categories{
    Category{"L", "Letter"},
    Category{"Lu", "Uppercase_Letter"},
    Category{"Ll", "Lowercase_Letter"},
    Category{"Lt", "Titlecase_Letter"},
    Category{"Lm", "Modifier_Letter"},
    Category{"Lo", "Other_Letter"},
    Category{"M", "Mark"},
    Category{"M", "Combining_Mark"},
    Category{"Mn", "Nonspacing_Mark"},
    Category{"Mc", "Spacing_Mark"},
    Category{"Me", "Enclosing_Mark"},
    Category{"N", "Number"},
    Category{"Nd", "Decimal_Number"},
    Category{"Nd", "digit"},
    Category{"Nl", "Letter_Number"},
    Category{"No", "Other_Number"},
    Category{"P", "Punctuation"},
    Category{"P", "punct"},
    Category{"Pc", "Connector_Punctuation"},
    Category{"Pd", "Dash_Punctuation"},
    Category{"Ps", "Open_Punctuation"},
    Category{"Pe", "Close_Punctuation"},
    Category{"Pi", "Initial_Punctuation"},
    Category{"Pf", "Final_Punctuation"},
    Category{"Po", "Other_Punctuation"},
    Category{"S", "Symbol"},
    Category{"Sm", "Math_Symbol"},
    Category{"Sc", "Currency_Symbol"},
    Category{"Sk", "Modifier_Symbol"},
    Category{"So", "Other_Symbol"},
    Category{"Z", "Separator"},
    Category{"Zs", "Space_Separator"},
    Category{"Zl", "Line_Separator"},
    Category{"Zp", "Paragraph_Separator"},
    Category{"Cc", "Control"},
    Category{"Cc", "cntrl"},
    Category{"Cf", "Format"},
    Category{"Co", "Private_Use"},
};

[[nodiscard]] std::string_view category_of(std::string_view name) noexcept {
    auto const found =
        std::find_if(categories.begin(), categories.end(),
                     [name](Category const& one) { return one.name == name || one.alias == name; });
    return found == categories.end() ? std::string_view{} : found->name;
}

[[nodiscard]] PropertyClass escape(std::string_view name, bool is_negated) {
    std::string text = is_negated ? "\\P{" : "\\p{";
    text += name;
    text += '}';
    return {std::move(text), {}};
}

[[nodiscard]] bool is_script_name(std::string_view name) noexcept {
    // Long names of scripts ("Greek", "Old_Italic"), as RE2 spells them. It does not support the
    // four-letter codes.
    return !name.empty() && name.front() >= 'A' && name.front() <= 'Z'
           && std::all_of(name.begin(), name.end(), [](char c) {
                  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
              });
}

} // namespace

std::string_view class_escape(char letter, Case letter_case) noexcept {
    // ECMA-262, 22.2.2.9: without the flag `i`, \d and \w are ASCII; \s is WhiteSpace (12.2) and
    // LineTerminator (12.3). With the flags `iu`, \w contains U+017F and U+212A, whose other cases
    // are s and k: RE2 adds them to \w itself.
    if (letter == 'W' && letter_case == Case::ignored) {
        return R"(\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{17e}\x{180}-\x{2129})"
               R"(\x{212b}-\x{10ffff})";
    }
    switch (letter) {
    case 'd': return "0-9";
    case 'D': return R"(\x{0}-\x{2f}\x{3a}-\x{10ffff})";
    case 'w': return "0-9A-Z_a-z";
    case 'W': return R"(\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff})";
    case 's':
        return R"(\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
    case 'S':
        return R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
               R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
    default: return {};
    }
}

bool is_group_name(std::string_view name) {
    // ID_Start and ID_Continue of Unicode (UAX 31), except for the few characters that have them by
    // name.
    static re2::RE2 const identifier{
        R"([\p{L}\p{Nl}$_][\p{L}\p{Nl}$_\p{Mn}\p{Mc}\p{Nd}\p{Pc}\x{200c}\x{200d}]*)"};
    return re2::RE2::FullMatch({name.data(), name.size()}, identifier);
}

PropertyClass property_class(std::string_view expression, bool is_negated) {
    // ECMA-262, 22.2.1: Name=Value, or a General_Category value or binary property alone; no loose
    // matching.
    std::size_t const equals = expression.find('=');
    if (equals == std::string_view::npos) {
        if (auto const category = category_of(expression); !category.empty()) {
            return escape(category, is_negated);
        }
        if (expression == "Any") {
            return {is_negated ? "" : R"(\x{0}-\x{10ffff})", {}};
        }
        if (expression == "ASCII") {
            return {is_negated ? R"(\x{80}-\x{10ffff})" : R"(\x{0}-\x{7f})", {}};
        }
        return {{}, "the property " + std::string{expression} + " is not implemented"};
    }
    auto const name = expression.substr(0, equals);
    auto const value = expression.substr(equals + 1);
    if (name == "General_Category" || name == "gc") {
        if (auto const category = category_of(value); !category.empty()) {
            return escape(category, is_negated);
        }
    }
    // RE2 takes a name that is not a script for a category: it must not be passed as a script.
    if ((name == "Script" || name == "sc") && is_script_name(value) && category_of(value).empty()) {
        return escape(value, is_negated);
    }
    return {{}, "the property " + std::string{expression} + " is not implemented"};
}

} // namespace sallyport::contract
