// Splits and resolves URI references.
#include "gateway/contract/text/uri.h"

#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstddef>

namespace sallyport::contract {

namespace {

struct Parts {
    std::string_view scheme;    // with its colon
    std::string_view authority; // with its two slashes
    std::string_view path;
    std::string_view query; // with its question mark
};

[[nodiscard]] bool is_scheme(std::string_view text) noexcept {
    return !text.empty() && text::is_letter(text.front())
           && std::all_of(text.begin(), text.end(), [](char c) {
                  return text::is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
              });
}

// RFC 3986, 3
[[nodiscard]] Parts cut(std::string_view uri) noexcept {
    Parts parts;
    std::size_t const colon = uri.find(':');
    if (colon != std::string_view::npos && is_scheme(uri.substr(0, colon))) {
        parts.scheme = uri.substr(0, colon + 1);
        uri.remove_prefix(colon + 1);
    }
    if (uri.substr(0, 2) == "//") {
        std::size_t const end = std::min(uri.find_first_of("/?", 2), uri.size());
        parts.authority = uri.substr(0, end);
        uri.remove_prefix(end);
    }
    std::size_t const mark = std::min(uri.find('?'), uri.size());
    parts.path = uri.substr(0, mark);
    parts.query = uri.substr(mark);
    return parts;
}

// RFC 3986, 5.2.4, for a path that begins with a slash.
[[nodiscard]] std::string remove_dots(std::string_view path) {
    std::string out;
    // 2C: the last segment, and the slash before it.
    auto const drop_last = [&out] { out.resize(out.empty() ? 0 : out.rfind('/')); };
    while (!path.empty()) {
        if (path.substr(0, 3) == "/./") {
            path.remove_prefix(2);
        } else if (path == "/.") {
            path = "/";
        } else if (path.substr(0, 4) == "/../") {
            path.remove_prefix(3);
            drop_last();
        } else if (path == "/..") {
            path = "/";
            drop_last();
        } else {
            std::size_t const end = std::min(path.find('/', 1), path.size());
            out += path.substr(0, end);
            path.remove_prefix(end);
        }
    }
    return out;
}

// The same for a relative path below a folder, which RFC 3986 does not define: its bases are
// absolute. A step above the folder is kept, so that the path is not taken for one inside it.
[[nodiscard]] std::string remove_dots_below(std::string_view path) {
    std::string out;
    bool is_last = path.empty();
    while (!is_last) {
        std::size_t const slash = path.find('/');
        is_last = slash == std::string_view::npos;
        std::string_view const segment = path.substr(0, slash);
        path.remove_prefix(is_last ? path.size() : slash + 1);
        std::size_t const begin =
            out.empty() ? std::string::npos : out.rfind('/', out.size() - 2) + 1;
        bool const is_step_up = segment == "..";
        // An empty segment must not make it a path from the root.
        bool const is_nothing = segment == "." || (segment.empty() && out.empty() && !is_last);
        if (is_nothing) continue;
        if (is_step_up && begin != std::string::npos && out.compare(begin, 3, "../") != 0) {
            out.resize(begin);
        } else {
            out += segment;
            if (!is_last || is_step_up) out += '/';
        }
    }
    return out;
}

// RFC 3986, 5.2.3
[[nodiscard]] std::string merge(Parts const& base, std::string_view path) {
    std::string out;
    if (!base.authority.empty() && base.path.empty()) {
        out = "/";
    } else if (auto const slash = base.path.rfind('/'); slash != std::string_view::npos) {
        out = base.path.substr(0, slash + 1);
    }
    out += path;
    return out;
}

[[nodiscard]] std::string join(std::string_view scheme, std::string_view authority,
                               std::string_view path, std::string_view query) {
    std::string out{scheme};
    out += authority;
    out += path;
    out += query;
    return out;
}

} // namespace

UriReference split_fragment(std::string_view reference) noexcept {
    std::size_t const hash = std::min(reference.find('#'), reference.size());
    return {reference.substr(0, hash), reference.substr(std::min(hash + 1, reference.size()))};
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
    // RFC 3986, 5.2.2
    Parts const from = cut(base);
    Parts const to = cut(reference);
    if (!to.scheme.empty()) {
        // Dots in an opaque path (urn:) are not path segments.
        bool const is_hierarchical = !to.authority.empty() || to.path.substr(0, 1) == "/";
        return join(to.scheme, to.authority,
                    is_hierarchical ? remove_dots(to.path) : std::string{to.path}, to.query);
    }
    if (!to.authority.empty()) {
        return join(from.scheme, to.authority, remove_dots(to.path), to.query);
    }
    if (to.path.empty()) {
        return join(from.scheme, from.authority, from.path,
                    to.query.empty() ? from.query : to.query);
    }
    std::string const path = to.path.front() == '/' ? std::string{to.path} : merge(from, to.path);
    bool const is_rooted = path.front() == '/';
    return join(from.scheme, from.authority,
                is_rooted ? remove_dots(path) : remove_dots_below(path), to.query);
}

std::string_view path_of_uri(std::string_view uri) noexcept {
    return cut(uri).path;
}

} // namespace sallyport::contract
