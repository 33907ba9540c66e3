// Lists of digests of secrets: see digests.h.
#include "config/digests.h"

#include "config/shape.h"
#include "config/types.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

namespace {

constexpr std::string_view how_to_hash =
    "write \"sha256:...\" as `sallyport credential hash` prints it";

constexpr std::string_view kind = "sha256:";

std::optional<Sha256> parse_hex(std::string_view hex) {
    Sha256 out{};
    if (hex.size() != 2 * out.size()) return std::nullopt;
    // In one spelling, so that it can be searched for.
    if (hex.find_first_of("ABCDEF") != std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < out.size(); ++i) {
        int const high = text::hex_value(hex[2 * i]);
        int const low = text::hex_value(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return out;
}

bool is_slow_hash(std::string_view text) {
    for (std::string_view const start : {"$argon2id$", "$2b$", "$2y$", "$y$", "$6$"}) {
        if (text.starts_with(start)) return true;
    }
    return false;
}

// A plain secret may stand where a digest belongs: no message repeats any of it.
std::optional<Sha256> read_digest(Reader& reader, Value const& value) {
    auto text = reader.read_line(value, 1024);
    if (!text) return std::nullopt;
    std::optional<Sha256> digest;
    if (is_slow_hash(*text)) {
        reader.refuse(value, "slow password hashes are not built yet",
                      "use a generated secret, and " + std::string{how_to_hash});
    } else if (!text->starts_with(kind)) {
        reader.refuse(value, "not a hash: a secret never stands here itself",
                      std::string{how_to_hash});
    } else if (!(digest = parse_digest(*text))) {
        reader.refuse(value, "sha256: must be followed by 64 lower-case hexadecimal digits",
                      std::string{how_to_hash});
    }
    wipe(*text);
    return digest;
}

constexpr std::int64_t most_digests = 2;

} // namespace

std::optional<Sha256> parse_digest(std::string_view text) {
    return text.starts_with(kind) ? parse_hex(text.substr(kind.size())) : std::nullopt;
}

Shape digests_shape() {
    return list_shape(text_shape(1024, "^sha256:[0-9a-f]{64}$"), 1, most_digests, Repeats::refused);
}

std::vector<Sha256> read_digests(Reader& reader, Value const& value) {
    std::vector<Sha256> out;
    auto const items = reader.read_list(value, Empty::refused);
    if (items.size() > static_cast<std::size_t>(most_digests)) {
        reader.refuse(value, "more than two at a time",
                      "keep the one in use, and one that replaces it");
    }
    for (Value const& item : items) {
        auto const digest = read_digest(reader, item);
        if (!digest) continue;
        if (std::find(out.begin(), out.end(), *digest) != out.end()) {
            reader.refuse(item, "the same hash is given twice", "remove one");
        } else {
            out.push_back(*digest);
        }
    }
    return out;
}

} // namespace sallyport::config
