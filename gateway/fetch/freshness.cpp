// How long a response may be kept (RFC 9111).
#include "gateway/fetch/freshness.h"

#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sallyport::fetch {

namespace {

using std::chrono::seconds;

// RFC 9111, 1.2.2: a larger number is as good as this one.
constexpr std::uint64_t most_seconds = std::uint64_t{1} << 31;

std::string_view trim(std::string_view text) {
    constexpr std::string_view white = " \t";
    auto const begin = std::min(text.find_first_not_of(white), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(white) + 1);
}

std::optional<seconds> parse_seconds(std::string_view text) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), text::is_digit)) return {};
    std::uint64_t value = 0;
    for (char const c : text)
        value = std::min(value * 10 + static_cast<std::uint64_t>(c - '0'), most_seconds);
    return seconds{value};
}

std::optional<seconds> read_directive(std::string_view directive) {
    auto const equals = std::min(directive.find('='), directive.size());
    auto const name = trim(directive.substr(0, equals));
    // RFC 9111, 5.2.2.4: with field names `no-cache` is about those fields; as a whole is safer.
    if (text::equals_ignoring_case(name, "no-store")
        || text::equals_ignoring_case(name, "no-cache"))
        return seconds{0};
    if (!text::equals_ignoring_case(name, "max-age") || equals == directive.size()) return {};
    return parse_seconds(trim(directive.substr(equals + 1)));
}

// RFC 9110, 5.6.1 and 5.6.4: a comma within quotation marks separates nothing.
std::size_t end_of_element(std::string_view text) {
    bool is_quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_quoted && text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            is_quoted = !is_quoted;
        } else if (text[at] == ',' && !is_quoted) {
            return at;
        }
    }
    return text.size();
}

} // namespace

std::optional<seconds> freshness_of(http::FieldTable const& fields) {
    std::optional<seconds> shortest;
    seconds age{0};
    for (auto const field : fields) {
        if (text::equals_ignoring_case(field.name, "age")) {
            age = std::max(age, parse_seconds(field.value).value_or(seconds{0}));
            continue;
        }
        if (!text::equals_ignoring_case(field.name, "cache-control")) continue;
        for (auto rest = field.value; !rest.empty();) {
            auto const end = end_of_element(rest);
            if (auto const found = read_directive(rest.substr(0, end)))
                shortest = std::min(shortest.value_or(*found), *found);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    if (!shortest) return {};
    return std::max(*shortest - age, seconds{0});
}

} // namespace sallyport::fetch
