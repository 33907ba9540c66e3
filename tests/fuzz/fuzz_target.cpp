// Fuzzes request targets: an accepted path must have one meaning only, however many times and by
// which reader it is decoded and normalized.
#include "check.h"

#include "gateway/http/target.h"
#include "gateway/text/percent.h"

#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

// RFC 3986, 5.2.4, in the plainest way.
std::string remove_dot_segments(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        auto const end = path.find('/', 1);
        auto const segment = path.substr(0, end);
        path.remove_prefix(segment.size());
        if (segment == "/.") {
            if (path.empty()) out += '/';
        } else if (segment == "/..") {
            out.erase(out.find_last_of('/') == out.npos ? 0 : out.find_last_of('/'));
            if (path.empty()) out += '/';
        } else {
            out += segment;
        }
    }
    return out;
}

void check_path(std::string_view path) {
    check(path.starts_with('/'), "a path begins with a slash");
    std::string storage(path.size(), '\0');
    auto const decoded = sallyport::text::percent_decode(path, storage);
    check(decoded.has_value(), "an accepted path can be decoded");
    auto const slashes = [](std::string_view text) {
        return std::count(text.begin(), text.end(), '/');
    };
    check(slashes(path) == slashes(*decoded), "decoding makes no slash");
    check(remove_dot_segments(path) == path, "no dot segments");
    check(remove_dot_segments(*decoded) == *decoded, "no dot segments after decoding");
    check(decoded->find("//") == decoded->npos, "no empty segments");
    check(decoded->find_first_of("\\;?#") == decoded->npos, "no delimiters");
    for (char const c : *decoded)
        check(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control characters");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    Target target;
    if (parse_target(input.view(), target)) return 0;
    check_path(target.path);
    check(target.query.empty() || target.query.starts_with('?'), "a query has its mark");
    for_each_query_name(target.query, [](std::string_view name) {
        check(name.find_first_of("&=") == name.npos, "a name has no delimiter");
    });
    // The forwarded form is read as the same.
    Copy const written{std::string{target.path} + std::string{target.query}};
    Target again;
    check(!parse_target(written.view(), again), "path and query are a target");
    check(again.path == target.path && again.query == target.query && !again.authority,
          "the same path and query");
    if (!target.authority) return 0;
    auto const authority = parse_authority(target.authority->text);
    check(authority && is_same_authority(*authority, *target.authority), "the same authority");
    std::string host(max_host_size, '\0');
    auto const normalized = normalized_host(*authority, host);
    check(!normalized.empty() && normalized.size() <= authority->host.size(), "a host to look up");
    return 0;
}
