// The store in memory: one ordered map, bounded in bytes.
#include "deploy/sandbox/store.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace sallyport::sandbox {
namespace {

// The map's own share of a document, so that many small ones are bounded too.
constexpr std::size_t entry_cost = 256;

std::size_t cost_of(Key const& key, std::string const& text) {
    return entry_cost + key.owner.size() + key.id.size() + text.size();
}

} // namespace

std::optional<boost::json::object> Store::find(Key const& key) const {
    auto const found = documents_.find(key);
    if (found == documents_.end()) return std::nullopt;
    return boost::json::parse(found->second).as_object();
}

std::vector<boost::json::object> Store::list(Kind kind, std::string_view owner) const {
    std::vector<boost::json::object> result;
    for (auto entry = documents_.lower_bound(Key{kind, std::string{owner}, {}});
         entry != documents_.end() && entry->first.kind == kind && entry->first.owner == owner;
         ++entry) {
        result.push_back(boost::json::parse(entry->second).as_object());
    }
    return result;
}

Stored Store::put(Key const& key, boost::json::object const& document) {
    std::string text = boost::json::serialize(document);
    auto const found = documents_.find(key);
    std::size_t const before = found == documents_.end() ? 0 : cost_of(key, found->second);
    std::size_t const after = used_ - before + cost_of(key, text);
    if (after > capacity_) return Stored::full;
    documents_.insert_or_assign(key, std::move(text));
    used_ = after;
    return Stored::yes;
}

} // namespace sallyport::sandbox
