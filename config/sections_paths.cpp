// The keys `strip_prefix` and `upstream_prefix` of an API: the path that its upstream sees.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"

namespace sallyport::config {

namespace {

constexpr std::size_t longest_prefix = 1024;

std::optional<std::string> read_prefix(Reader& reader, Value const& value) {
    auto prefix = reader.read_line(value, longest_prefix);
    if (!prefix) return std::nullopt;
    if (is_plain_path(*prefix) && !prefix->ends_with('/')) return prefix;
    reader.refuse(
        value, Reader::shown(value) + " is not the beginning of a path",
        "write \"/name\", without a slash at its end, escapes, ';', '//' and dot segments");
    return std::nullopt;
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

} // namespace

void add_keys_of_the_path(std::vector<Key<ApiDraft>>& keys) {
    auto const prefix = [] { return text_shape(longest_prefix, path_prefix_pattern()); };
    KeyInfo stripped{"strip_prefix", prefix(),
                     "what the paths begin with and the upstream does not get"};
    KeyInfo added{"upstream_prefix", prefix(), "what is written before the path for the upstream"};
    keys.push_back(custom_key<ApiDraft>(std::move(stripped), read_stripped));
    keys.push_back(custom_key<ApiDraft>(std::move(added), read_added));
}

} // namespace sallyport::config
