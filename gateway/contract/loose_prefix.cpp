// Compares the beginnings of paths: see loose_prefix.h.
#include "gateway/contract/loose_prefix.h"

#include "gateway/contract/text/loose_spelling.h"
#include "gateway/text/percent.h"

namespace sallyport::contract {

namespace {

// The size of the slash at `at`, which may be escaped; 0: there is none.
std::size_t slash_at(std::string_view path, std::size_t at) noexcept {
    if (path[at] == '/') return 1;
    return path[at] == '%' && text::escaped_byte(path, at) == '/' ? 3 : 0;
}

// The next segment that is not empty; `path` becomes what follows it.
std::string_view take_segment(std::string_view& path) noexcept {
    std::size_t at = 0;
    while (at < path.size() && slash_at(path, at) != 0)
        at += slash_at(path, at);
    std::size_t end = at;
    while (end < path.size() && slash_at(path, end) == 0)
        ++end;
    std::string_view const segment = path.substr(at, end - at);
    path.remove_prefix(end);
    return segment;
}

} // namespace

LoosePrefix make_loose_prefix(std::string_view prefix) {
    LoosePrefix segments;
    for (auto segment = take_segment(prefix); !segment.empty(); segment = take_segment(prefix)) {
        LooseSpelling spelling;
        // A literal of a template, or of the configuration, is short enough, or matches nothing.
        (void)spelling.take(segment);
        segments.emplace_back(spelling.text());
    }
    return segments;
}

std::optional<std::string_view> behind_prefix(std::string_view path,
                                              LoosePrefix const& prefix) noexcept {
    for (auto const& segment : prefix) {
        LooseSpelling spelling;
        if (!spelling.take(take_segment(path)) || spelling.text() != segment) return std::nullopt;
    }
    return path;
}

} // namespace sallyport::contract
