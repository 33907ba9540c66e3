// Regular expressions of what the configuration takes: see patterns.h.
#include "config/patterns.h"

#include <algorithm>
#include <vector>

namespace sallyport::config {

namespace {

constexpr std::string_view control_class = R"(\x00-\x1F\x7F)";
constexpr std::string_view one_reference = R"(\$\{(env:[0-9A-Za-z_]+|file:[^}]+)\})";
constexpr std::string_view name_text = "[0-9A-Za-z][0-9A-Za-z._-]{0,63}";
// A name as DNS has it: no dot at its beginning, none beside another.
constexpr std::string_view host_text =
    R"(([0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*\.?|\[[0-9A-Fa-f:.]+\]))";
constexpr std::string_view ipv4_text =
    R"(((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]))";

std::string any_digits(std::size_t count) {
    if (count == 0) return {};
    return count == 1 ? "[0-9]" : "[0-9]{" + std::to_string(count) + '}';
}

std::string digit_range(char from, char to) {
    if (from == to) return std::string(1, from);
    return std::string{"["} + from + '-' + to + ']';
}

// The alternatives for numbers of as many digits as `least` and `most` both have.
void append_alternatives(std::vector<std::string>& out, std::string const& prefix,
                         std::string const& least, std::string const& most) {
    if (least.empty()) {
        out.push_back(prefix);
        return;
    }
    std::string const rest_of_least = least.substr(1);
    std::string const rest_of_most = most.substr(1);
    char from = least[0];
    char to = most[0];
    if (from == to) {
        append_alternatives(out, prefix + from, rest_of_least, rest_of_most);
        return;
    }
    std::size_t const more = rest_of_least.size();
    if (rest_of_least != std::string(more, '0')) {
        append_alternatives(out, prefix + from, rest_of_least, std::string(more, '9'));
        ++from;
    }
    bool const is_cut = rest_of_most != std::string(more, '9');
    if (is_cut) --to;
    if (from <= to) out.push_back(prefix + digit_range(from, to) + any_digits(more));
    if (is_cut) append_alternatives(out, prefix + most[0], std::string(more, '0'), rest_of_most);
}

// One character, or one escaped `${`. Dollar signs before any other character stand for themselves.
std::string text_unit(std::string_view excluded, Controls controls = Controls::refused) {
    std::string without{excluded};
    without += controls == Controls::refused ? control_class : std::string_view{R"(\x00)"};
    return "([^$" + without + R"(]|\$+[^${)" + without + R"(]|\$\$+\{))";
}

// Of a path: neither empty nor dots alone, without escapes and ';'.
std::string segment_text() {
    std::string const character = R"([0-9A-Za-z._~!$&'()*+,=:@-])";
    std::string const no_dot = R"([0-9A-Za-z_~!$&'()*+,=:@-])";
    return '(' + no_dot + character + R"(*|\.)" + no_dot + character + R"(*|\.\.)" + character
           + "+)";
}

// RFC 4291, 2.2: eight groups of digits; `::` is one group or more of zeros; an address of IPv4 is
// the last two.
std::string ipv6_text() {
    std::string const group = "[0-9A-Fa-f]{1,4}";
    std::string const ipv4{ipv4_text};
    auto const at_most = [](int count) { return "{0," + std::to_string(count) + '}'; };
    std::string out = '(' + group + ":){7}(" + group + "|:)|(" + group + ":){6}" + ipv4;
    for (int before = 0; before <= 6; ++before) {
        std::string const left =
            before == 0 ? "::" : '(' + group + ":){" + std::to_string(before) + "}:";
        out += '|' + left + '(' + group + "(:" + group + ')' + at_most(6 - before) + ")?";
        if (before <= 5) out += '|' + left + '(' + group + ":)" + at_most(5 - before) + ipv4;
    }
    return '(' + out + ')';
}

std::string port_text(std::uint64_t least) {
    return "0*" + decimal_pattern(least, 65'535);
}

} // namespace

std::string decimal_pattern(std::uint64_t least, std::uint64_t most) {
    std::vector<std::string> alternatives;
    for (std::size_t digits = std::to_string(least).size(); digits <= std::to_string(most).size();
         ++digits) {
        std::string const low = digits == std::to_string(least).size()
                                    ? std::to_string(least)
                                    : '1' + std::string(digits - 1, '0');
        std::string const high =
            digits == std::to_string(most).size() ? std::to_string(most) : std::string(digits, '9');
        append_alternatives(alternatives, {}, low, high);
    }
    std::string out;
    for (std::string const& alternative : alternatives)
        out += (out.empty() ? "" : "|") + alternative;
    return '(' + out + ')';
}

std::string text_pattern(std::string_view excluded, std::string_view start) {
    return '^' + std::string{start} + text_unit(excluded) + R"(*\$*$)";
}

std::string reference_pattern() {
    std::string const unit = text_unit({});
    std::string const reference{one_reference};
    return '^' + unit + '*' + reference + '(' + unit + '|' + reference + R"()*\$*$)";
}

std::string expandable_pattern(Controls controls) {
    return "^(" + text_unit({}, controls) + '|' + std::string{one_reference} + R"()*\$*$)";
}

std::string field_value_pattern() {
    std::string const variable =
        R"(\$\{(request_id|credential|client|operation|label:[0-9A-Za-z._-]{1,64})\})";
    return "^(" + text_unit({}) + '|' + variable + '|' + std::string{one_reference} + R"()*\$*$)";
}

std::string field_name_pattern() {
    return R"(^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$)";
}

std::string web_origin_pattern() {
    std::string const labels = R"([0-9a-z_-]+(\.[0-9a-z_-]+)*)";
    // Behind a `*` two labels at least, and no address.
    return R"(^(\*|null|[a-z][0-9a-z+.-]*://(\*\.)" + labels + R"(\.[a-z_-][0-9a-z_-]*|)" + labels
           + R"(|\[[0-9a-f:.]+\])(:)" + decimal_pattern(1, 65'535) + ")?)$";
}

std::string evident_path_pattern() {
    std::string const unit = text_unit({});
    return '^' + unit + R"(*\$*[/.])" + unit + R"(*\$*$)";
}

std::string include_pattern() {
    std::string const controls{control_class};
    return R"(^([^$*?\[/)" + controls + "]*/)*[^$/" + controls + "]+$";
}

std::string plain_path_pattern() {
    return "^/(" + segment_text() + "(/" + segment_text() + ")*/?)?$";
}

std::string path_prefix_pattern() {
    return "^(/" + segment_text() + ")+$";
}

std::string name_pattern() {
    return '^' + std::string{name_text} + '$';
}

std::string host_pattern() {
    return '^' + std::string{host_text} + '$';
}

std::string host_or_wildcard_pattern() {
    return "^(\\*\\.)?" + std::string{host_text} + '$';
}

std::string authority_pattern() {
    return '^' + std::string{host_text} + "(:" + port_text(0) + ")?$";
}

std::string address_pattern() {
    return "^(" + std::string{ipv4_text} + R"(|\[[0-9A-Fa-f:.]+\]):)" + port_text(0) + '$';
}

std::string endpoint_pattern() {
    // unix(7): 107 bytes and a NUL. Escapes of `${` are read before they are counted.
    std::string const socket = "unix:/" + text_unit({}) + R"({0,106}\$*)";
    return "^(" + socket + "|https?://" + std::string{host_text} + "(:" + port_text(1) + ")?(/"
           + segment_text() + ")*/?)$";
}

std::string url_pattern() {
    return "^https?://" + std::string{host_text} + "(:" + port_text(1) + ")?(/" + segment_text()
           + R"()*/?(\?[!%-;=?-[\]_0-9A-Za-z~]*)?$)";
}

std::string network_pattern() {
    return "^(" + std::string{ipv4_text} + "(/" + decimal_pattern(0, 32) + ")?|" + ipv6_text()
           + "(/" + decimal_pattern(0, 128) + ")?)$";
}

std::string date_time_pattern() {
    // RFC 3339, 5.6, of the years 1970 to 2261, without leap seconds.
    std::string const time = "([01][0-9]|2[0-3]):[0-5][0-9]";
    return "^" + decimal_pattern(1970, 2261) + "-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]"
           + time + R"(:[0-5][0-9](\.[0-9]+)?([Zz]|[+-])" + time + ")$";
}

} // namespace sallyport::config
