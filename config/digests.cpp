// Lists of hashes of secrets: see digests.h.
#include "config/digests.h"

#include "config/shape.h"
#include "config/types.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

namespace {

using secrets::StoredHash;

constexpr std::int64_t most_hashes = 2;

// A plain secret may stand where a hash belongs: no message repeats any of it.
std::optional<StoredHash> read_hash(Reader& reader, Value const& value) {
    std::string expanded;
    auto const text = reader.view_line(value, secrets::longest_hash, expanded);
    if (!text) return std::nullopt;
    auto parsed = secrets::parse_hash(*text, secrets::From::credentials);
    if (!expanded.empty()) wipe(expanded);
    if (!parsed.hash) reader.refuse(value, parsed.problem.what, parsed.problem.hint);
    return std::move(parsed.hash);
}

std::optional<StoredHash> read_digest(Reader& reader, Value const& value) {
    auto hash = read_hash(reader, value);
    if (!hash || hash->sha256() != nullptr) return hash;
    reader.refuse(value, "a slow hash: a token is found by its digest, and has no key id beside it",
                  "write \"sha256:...\" as `sallyport credential hash` prints it; a password goes "
                  "into basic: { key_id: ..., secrets: [...] }");
    return std::nullopt;
}

template <class ReadOne>
std::vector<StoredHash> read_list_of(Reader& reader, Value const& value, ReadOne read_one) {
    std::vector<StoredHash> out;
    auto const items = reader.read_list(value, Empty::told);
    if (items.size() > static_cast<std::size_t>(most_hashes)) {
        reader.refuse(value, "more than two at a time",
                      "keep the one in use, and one that replaces it");
    }
    for (Value const& item : items) {
        auto hash = read_one(reader, item);
        if (!hash) continue;
        if (std::find(out.begin(), out.end(), *hash) != out.end()) {
            reader.refuse(item, "the same hash is given twice", "remove one");
        } else {
            out.push_back(std::move(*hash));
        }
    }
    return out;
}

Shape list_of_hashes(std::string_view pattern) {
    return list_shape(text_shape(secrets::longest_hash, std::string{pattern}), 0, most_hashes,
                      Repeats::refused);
}

} // namespace

Shape digests_shape() {
    return list_of_hashes("^sha256:[0-9a-f]{64}$");
}

std::vector<StoredHash> read_digests(Reader& reader, Value const& value) {
    return read_list_of(reader, value, read_digest);
}

Shape hashes_shape() {
    return list_of_hashes(secrets::hash_pattern);
}

std::vector<StoredHash> read_hashes(Reader& reader, Value const& value) {
    return read_list_of(reader, value, read_hash);
}

} // namespace sallyport::config
