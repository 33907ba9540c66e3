// Which parts of a request's head may be logged, and how bytes from clients are written in a line
// of text.
#include "gateway/observe/loggable.h"

#include "gateway/observe/json_text.h"
#include "gateway/text/ascii.h"

#include <algorithm>

namespace sallyport::observe {

namespace {

constexpr std::size_t longest_method = 32;

// Whether `text` begins with the character of this code, encoded once or more often.
bool begins_with_escaped(std::string_view text, std::string_view code) {
    if (!text.starts_with('%')) return false;
    text.remove_prefix(1);
    while (text.starts_with("25"))
        text.remove_prefix(2);
    return text::equals_ignoring_case(text.substr(0, 2), code);
}

// Whether `path` continues with an escaped `?`, `#` or `;`.
bool begins_with_escaped_end(std::string_view path) {
    return begins_with_escaped(path, "3f") || begins_with_escaped(path, "23")
           || begins_with_escaped(path, "3b");
}

// Values follow these (query, fragment, path parameters), also if a rejected path contains them
// encoded.
std::size_t end_of_path(std::string_view path) {
    for (std::size_t at = 0; at < path.size(); ++at) {
        auto const byte = path[at];
        if (byte == '?' || byte == '#' || byte == ';') return at;
        if (byte == '%' && begins_with_escaped_end(path.substr(at))) return at;
    }
    return path.size();
}

// Whether nothing in `target` could begin a value or an authority's userinfo: nearly every path.
bool is_path_alone(std::string_view target) {
    return target.starts_with('/') && std::none_of(target.begin(), target.end(), [](char byte) {
               return byte == '?' || byte == '#' || byte == ';' || byte == '%' || byte == '@';
           });
}

// RFC 3986, 3.2.1: userinfo ends at `@`. Where the last one begins; npos where there is none.
std::size_t last_at_sign(std::string_view text) {
    for (auto at = text.size(); at-- > 0;)
        if (text[at] == '@' || begins_with_escaped(text.substr(at), "40")) return at;
    return std::string_view::npos;
}

bool begins_with_slash(std::string_view text) {
    return text.starts_with('/') || text.starts_with('\\') || begins_with_escaped(text, "2f")
           || begins_with_escaped(text, "5c");
}

// The position in a path at which a lenient reader may see an authority, as in probes for open
// proxies: two slashes, a character that some read as a slash, or the segment of a `:`.
std::size_t begin_of_authority(std::string_view text) {
    std::size_t segment = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto const rest = text.substr(at);
        if (rest.front() == ':' || begins_with_escaped(rest, "3a")) return segment;
        if (!begins_with_slash(rest)) continue;
        bool const is_plain = rest.front() == '/' && !begins_with_slash(rest.substr(1));
        if (!is_plain) return at;
        segment = at + 1;
    }
    return text.size();
}

} // namespace

std::string_view loggable_path(std::string_view target) noexcept {
    if (is_path_alone(target)) return target;
    auto path = target.substr(0, end_of_path(target));
    if (path.starts_with('/')) {
        // Userinfo may contain `?` or `;` too: the whole target is searched.
        auto const at_sign = last_at_sign(target);
        if (at_sign == std::string_view::npos) return path;
        auto const authority = begin_of_authority(target.substr(0, at_sign));
        return authority == at_sign ? path : path.substr(0, authority);
    }
    auto const authority = path.find("://");
    if (authority == std::string_view::npos) return {};
    path.remove_prefix(authority + 3);
    // Userinfo with a raw `/` is malformed, but must not be logged either; nor may the first part
    // of one that was cut at a `;`.
    auto const at_sign = last_at_sign(target.substr(authority + 3));
    if (at_sign != std::string_view::npos) {
        if (at_sign >= path.size()) return {};
        path.remove_prefix(at_sign + 1);
    }
    auto const begin = path.find('/');
    return begin == std::string_view::npos ? std::string_view{} : path.substr(begin);
}

std::string_view loggable_method(std::string_view method) noexcept {
    bool const is_word = std::all_of(method.begin(), method.end(), [](char byte) {
        auto const lower = text::to_lower(byte);
        return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '-'
               || byte == '_';
    });
    return is_word && method.size() <= longest_method ? method : std::string_view{};
}

LoggableQuery loggable_query(std::string_view query, DeclaredName const& declared) {
    LoggableQuery result;
    while (!query.empty()) {
        auto const piece = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(piece.size() + 1, query.size()));
        if (piece.empty()) continue;
        auto const name = piece.substr(0, piece.find('='));
        auto const known = declared(name);
        auto const shown = known.empty() ? std::string_view{"*"} : known;
        auto const shown_before = result.view();
        if (std::find(shown_before.begin(), shown_before.end(), shown) != shown_before.end())
            continue;
        if (result.count == LoggableQuery::most) break;
        result.names[result.count++] = shown;
    }
    return result;
}

bool is_loggable_field(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 14> names = {
        "accept",           "accept-encoding",   "allow",        "connection",
        "content-encoding", "content-length",    "content-type", "date",
        "expect",           "retry-after",       "te",           "trailer",
        "user-agent",       "transfer-encoding",
    };
    return std::any_of(names.begin(), names.end(), [name](std::string_view loggable_name) {
        return text::equals_ignoring_case(name, loggable_name);
    });
}

std::string_view loggable_trace_id(std::string_view traceparent) noexcept {
    // version "-" trace-id "-" parent-id "-" trace-flags
    constexpr std::size_t trace_id = 3, parent_id = 36, flags = 53, size = 55;
    auto const is_lower_hex = [](char c) { return text::is_digit(c) || (c >= 'a' && c <= 'f'); };
    if (traceparent.size() < size) return {};
    for (std::size_t i = 0; i < size; ++i) {
        bool const is_separator = i == trace_id - 1 || i == parent_id - 1 || i == flags - 1;
        if (is_separator ? traceparent[i] != '-' : !is_lower_hex(traceparent[i])) return {};
    }
    auto const version = traceparent.substr(0, 2);
    if (version == "ff") return {};
    // In a later version more may follow (4.3), behind another dash.
    bool const is_longer = traceparent.size() > size;
    if (is_longer && (version == "00" || traceparent[size] != '-')) return {};
    auto const is_zero = [traceparent](std::size_t at, std::size_t digits) {
        return traceparent.substr(at, digits).find_first_not_of('0') == std::string_view::npos;
    };
    if (is_zero(trace_id, 32) || is_zero(parent_id, 16)) return {};
    return traceparent.substr(trace_id, 32);
}

std::string loggable(std::string_view text, std::size_t limit) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    auto const taken = text.substr(0, limit);
    result.reserve(taken.size() + cut_mark.size());
    for (auto const character : taken) {
        auto const byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7F && byte != '\\' && byte != '"') {
            result += character;
        } else {
            result += "\\x";
            result += digits[byte >> 4];
            result += digits[byte & 0xF];
        }
    }
    if (taken.size() < text.size()) result += cut_mark;
    return result;
}

} // namespace sallyport::observe
