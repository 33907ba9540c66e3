// The pairs of a query, raw.
#include "gateway/http/query_pair.h"

#include "gateway/text/percent.h"

#include <algorithm>

namespace sallyport::http {

QueryPair take_query_pair(std::string_view& query) noexcept {
    auto const pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    auto const equals = pair.find('=');
    if (equals == std::string_view::npos) return {pair, {}};
    return {pair.substr(0, equals), pair.substr(equals + 1)};
}

bool is_query_name(std::string_view raw, std::string_view name) {
    if (raw == name) return true;
    if (raw.find('%') == std::string_view::npos) return false;
    auto const decoded = text::percent_decoded(raw);
    return decoded && *decoded == name;
}

std::string without_query_pairs(std::string_view query, std::string_view name) {
    std::string kept;
    if (query.starts_with('?')) query.remove_prefix(1);
    while (!query.empty()) {
        auto const before = query;
        auto const pair = take_query_pair(query);
        if (is_query_name(pair.name, name)) continue;
        kept += kept.empty() ? '?' : '&';
        kept += before.substr(0, before.find('&'));
    }
    return kept;
}

} // namespace sallyport::http
