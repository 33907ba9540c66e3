// The sandbox's memory: JSON documents by kind, owner and id, whatever they are kept in.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sallyport::sandbox {

enum class Kind { organization, service, pipe, query_endpoint, backup, dashboard, alert };

// Where a document stands. Owner: the organization of a service, the service of a pipe, backup or
// query endpoint, empty for what nobody owns. Uuids are in lower case.
struct Key {
    Kind kind;
    std::string owner;
    std::string id;

    friend auto operator<=>(Key const&, Key const&) = default;
};

enum class Stored { yes, full };

// Keeps the documents as text, in memory. Owned by main and used by one thread.
class Store {
public:
    // capacity: bytes of all documents together.
    explicit Store(std::size_t capacity) : capacity_{capacity} {}

    [[nodiscard]] std::optional<boost::json::object> find(Key const& key) const;

    // All documents of a kind and an owner, by id.
    [[nodiscard]] std::vector<boost::json::object> list(Kind kind, std::string_view owner) const;

    // Creates the document or replaces it whole. Where it does not fit, nothing changes.
    [[nodiscard]] Stored put(Key const& key, boost::json::object const& document);

private:
    std::map<Key, std::string> documents_;
    std::size_t capacity_;
    std::size_t used_ = 0;
};

} // namespace sallyport::sandbox
