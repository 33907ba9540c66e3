// The keys that say which paths and hosts an API has, and which path its upstream sees.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/host_pattern.h"

#include <algorithm>

namespace sallyport::config {

namespace {

constexpr std::size_t longest_prefix = 1024;

// Where a path has what other programs read as a wildcard, a parameter or an expression, and how far
// it is a plain one. `/a:b` and `/$metadata` have their signs as themselves.
struct Placeholder {
    std::string text;   // `{id}`, `:id`, `*`
    std::string before; // `/name/`, or `/` alone
};

std::optional<Placeholder> find_placeholder(std::string_view path) {
    for (std::size_t at = 0; at < path.size();) {
        std::size_t const end = std::min(path.find('/', at + 1), path.size());
        bool const is_last = end == path.size();
        // All but the first one of a text that is no path begin with a slash.
        std::string_view const segment = path.substr(at, end - at);
        std::string_view const name = segment.substr(segment.starts_with('/') ? 1 : 0);
        std::size_t const sign = name.find_first_of("*{}<>[]|^");
        bool const is_one = sign != std::string_view::npos || name.starts_with(':')
                            || (is_last && name.ends_with('$'));
        if (is_one) {
            // `/y**`: what is meant lies below `/y/`.
            bool const is_begun = is_last && sign != 0 && sign < name.size() && name[sign] == '*';
            std::string_view before = path.substr(0, is_begun ? at + 1 + sign : at);
            if (!is_plain_path(before)) before = path.substr(0, at);
            if (!is_plain_path(before)) before = {};
            return Placeholder{std::string{name}, std::string{before} + '/'};
        }
        at = end;
    }
    return std::nullopt;
}

// Whether the value is refused: as what would never match as it is meant.
bool refuse_placeholder(Reader& reader, Value const& value, std::string_view path,
                        bool is_whole_path) {
    auto const found = find_placeholder(path);
    if (!found) return false;
    std::string name = found->before;
    if (!is_whole_path && name.size() > 1) name.pop_back();
    reader.refuse(value,
                  Reader::shown(value) + " has " + in_quotes(found->text)
                      + ", which stands for nothing but itself here",
                  is_whole_path ? "write \"" + name + "\" for all below it, or a contract for paths "
                                      "with parameters"
                                : "write a beginning that all paths have, such as \""
                                      + (name == "/" ? "/name" : name) + "\"");
    return true;
}

void read_paths(Reader& reader, Value const& value, ApiDraft& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto path = reader.read_line(item, longest_prefix);
        if (!path || refuse_placeholder(reader, item, *path, true)) continue;
        auto const is_same = [&path](PathPrefix const& other) { return other.path == *path; };
        if (!is_plain_path(*path)) {
            reader.refuse(item, Reader::shown(item) + " is not a path",
                          "write \"/name/\" for all below it, or \"/name\" for this path alone, "
                          "without escapes, ';', '//' and dot segments");
        } else if (std::any_of(out.paths.begin(), out.paths.end(), is_same)) {
            reader.refuse(item, "the path is given twice", "remove one");
        } else {
            out.paths.push_back({std::move(*path), Reader::origin_of(item)});
        }
    }
}

std::optional<std::string> read_prefix(Reader& reader, Value const& value) {
    auto prefix = reader.read_line(value, longest_prefix);
    if (!prefix || refuse_placeholder(reader, value, *prefix, false)) return std::nullopt;
    if (is_plain_path(*prefix) && !prefix->ends_with('/')) return prefix;
    reader.refuse(
        value, Reader::shown(value) + " is not the beginning of a path",
        "write \"/name\", without a slash at its end, escapes, ';', '//' and dot segments");
    return std::nullopt;
}

void read_mount(Reader& reader, Value const& value, ApiDraft& out) {
    if (auto prefix = read_prefix(reader, value)) out.mount = std::move(*prefix);
}

void read_stripped(Reader& reader, Value const& value, ApiDraft& out) {
    out.upstream_path.strip_origin = Reader::origin_of(value);
    if (auto prefix = read_prefix(reader, value))
        out.upstream_path.strip_prefix = std::move(*prefix);
}

void read_added(Reader& reader, Value const& value, ApiDraft& out) {
    if (auto prefix = read_prefix(reader, value))
        out.upstream_path.upstream_prefix = std::move(*prefix);
}

// A name behind `*.`: not an address, which has no names below it.
bool is_host_or_wildcard(std::string_view host) {
    if (!text::is_wildcard(host)) return is_host(host);
    auto const parent = host.substr(2);
    auto const last = parent.substr(parent.rfind('.') + 1);
    return is_host(parent) && !parent.starts_with('[')
           && !std::all_of(last.begin(), last.end(), text::is_digit);
}

void read_hosts(Reader& reader, Value const& value, ApiDraft& out) {
    for (Value const& item : reader.read_list(value, Empty::allowed)) {
        auto host = reader.read_line(item, 253);
        if (!host) continue;
        std::transform(host->begin(), host->end(), host->begin(), text::to_lower);
        // As of a Host field: the name of the root, which is empty, may stand at its end.
        if (host->size() > 1 && host->back() == '.') host->pop_back();
        if (*host == "*") {
            reader.refuse(item, "\"*\" is not a host name", "leave hosts out for any host");
        } else if (!is_host_or_wildcard(*host)) {
            reader.refuse(item, Reader::shown(item) + " is not a host name",
                          host->find('*') == std::string::npos
                              ? "write a name without port, such as api.example.com"
                              : "write *.example.com for all names of one label before it");
        } else if (std::find(out.hosts.begin(), out.hosts.end(), *host) != out.hosts.end()) {
            reader.refuse(item, "the host is given twice", "remove one");
        } else {
            out.hosts.push_back(std::move(*host));
        }
    }
}

std::vector<Word<Fallback>> const fallback_words{{"no", Fallback::no}, {"yes", Fallback::yes}};
std::vector<Word<EncodedSlashes>> const slash_words{{"refuse", EncodedSlashes::refuse},
                                                    {"pass", EncodedSlashes::pass}};
std::vector<Word<EmptySegments>> const segment_words{{"refuse", EmptySegments::refuse},
                                                     {"pass", EmptySegments::pass}};

} // namespace

void add_keys_of_paths(std::vector<Key<ApiDraft>>& keys) {
    KeyInfo paths{"paths",
                  list_shape(text_shape(longest_prefix, plain_path_pattern()), 1, no_limit,
                             Repeats::refused),
                  "paths that pass without a contract: \"/name/\" is all below it, \"/name\" that "
                  "path alone"};
    KeyInfo mount{"mount", text_shape(longest_prefix, path_prefix_pattern()),
                  "what all its paths are below, those of the contract too; the upstream does not "
                  "get it"};
    keys.push_back(custom_key<ApiDraft>(std::move(paths), read_paths));
    keys.push_back(custom_key<ApiDraft>(std::move(mount), read_mount));
    keys.push_back(word_key<ApiDraft, Fallback>(
                       "fallback", &ApiDraft::fallback, fallback_words,
                       "yes: its paths may have those of contracts below them, and are only what "
                       "no other API has")
                       .needing("paths", "a contract is no fallback for others"));
}

void add_keys_of_spellings(std::vector<Key<ApiDraft>>& keys) {
    keys.push_back(word_key<ApiDraft, EncodedSlashes>(
        "encoded_slashes", &ApiDraft::encoded_slashes, slash_words,
        "pass: %2F in a path is part of a value, as the upstream reads it"));
    keys.push_back(word_key<ApiDraft, EmptySegments>(
                       "empty_segments", &ApiDraft::empty_segments, segment_words,
                       "pass: // below paths is part of a value, as the upstream reads it")
                       .needing("paths", "no path of a contract has two slashes in a row"));
}

void add_key_of_hosts(std::vector<Key<ApiDraft>>& keys) {
    KeyInfo hosts{"hosts",
                  list_shape(text_shape(253, host_or_wildcard_pattern()), 0, no_limit,
                             Repeats::refused),
                  "host names that lead to this API, such as api.example.com, or *.example.com for "
                  "one label before it; empty: any",
                  "[]"};
    keys.push_back(custom_key<ApiDraft>(std::move(hosts), read_hosts));
}

void refuse_shared_paths(Reader& reader, Api const& api, std::vector<Api> const& others) {
    for (Api const& other : others) {
        bool const is_of_same_hosts =
            text::compare_hosts(api.hosts, other.hosts) == text::HostOverlap::same;
        if (!is_of_same_hosts || reader.has_left_open(api.origin.path + ".hosts")
            || reader.has_left_open(other.origin.path + ".hosts"))
            continue;
        for (PathPrefix const& path : api.paths) {
            auto const is_same = [&](PathPrefix const& one) {
                return other.mount + one.path == api.mount + path.path;
            };
            if (std::none_of(other.paths.begin(), other.paths.end(), is_same)) continue;
            reader.refuse(path.origin, "the API " + in_quotes(other.name) + " has this path too",
                          "choose another path, or other hosts");
        }
    }
}

void add_keys_of_the_path(std::vector<Key<ApiDraft>>& keys) {
    auto const prefix = [] { return text_shape(longest_prefix, path_prefix_pattern()); };
    KeyInfo stripped{"strip_prefix", prefix(),
                     "what the paths begin with and the upstream does not get"};
    KeyInfo added{"upstream_prefix", prefix(), "what is written before the path for the upstream"};
    keys.push_back(custom_key<ApiDraft>(std::move(stripped), read_stripped));
    keys.push_back(custom_key<ApiDraft>(std::move(added), read_added));
}

} // namespace sallyport::config
