// The rows of the static table, their lines, and a perfect hash over the names.
#include "gateway/http2/static_table.h"

#include "gateway/http2/broken.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sallyport::http2 {

namespace {

using Id = http::FieldId;
using Pseudo = PseudoField;

struct Row {
    std::string_view name;
    std::string_view value;
    Id id = Id::unknown;
    Pseudo pseudo = Pseudo::none;
};

// RFC 7541, appendix A. `:status` is no field of a request.
constexpr std::array rows{
    Row{":authority", "", Id::unknown, Pseudo::authority},
    Row{":method", "GET", Id::unknown, Pseudo::method},
    Row{":method", "POST", Id::unknown, Pseudo::method},
    Row{":path", "/", Id::unknown, Pseudo::path},
    Row{":path", "/index.html", Id::unknown, Pseudo::path},
    Row{":scheme", "http", Id::unknown, Pseudo::scheme},
    Row{":scheme", "https", Id::unknown, Pseudo::scheme},
    Row{":status", "200", Id::unknown, Pseudo::unknown},
    Row{":status", "204", Id::unknown, Pseudo::unknown},
    Row{":status", "206", Id::unknown, Pseudo::unknown},
    Row{":status", "304", Id::unknown, Pseudo::unknown},
    Row{":status", "400", Id::unknown, Pseudo::unknown},
    Row{":status", "404", Id::unknown, Pseudo::unknown},
    Row{":status", "500", Id::unknown, Pseudo::unknown},
    Row{"accept-charset", ""},
    Row{"accept-encoding", "gzip, deflate", Id::accept_encoding},
    Row{"accept-language", ""},
    Row{"accept-ranges", ""},
    Row{"accept", ""},
    Row{"access-control-allow-origin", ""},
    Row{"age", ""},
    Row{"allow", ""},
    Row{"authorization", "", Id::authorization},
    Row{"cache-control", ""},
    Row{"content-disposition", ""},
    Row{"content-encoding", "", Id::content_encoding},
    Row{"content-language", ""},
    Row{"content-length", "", Id::content_length},
    Row{"content-location", ""},
    Row{"content-range", ""},
    Row{"content-type", "", Id::content_type},
    Row{"cookie", "", Id::cookie},
    Row{"date", "", Id::date},
    Row{"etag", ""},
    Row{"expect", "", Id::expect},
    Row{"expires", ""},
    Row{"from", ""},
    Row{"host", "", Id::host},
    Row{"if-match", ""},
    Row{"if-modified-since", ""},
    Row{"if-none-match", ""},
    Row{"if-range", ""},
    Row{"if-unmodified-since", ""},
    Row{"last-modified", ""},
    Row{"link", ""},
    Row{"location", ""},
    Row{"max-forwards", "", Id::max_forwards},
    Row{"proxy-authenticate", "", Id::proxy_authenticate},
    Row{"proxy-authorization", "", Id::proxy_authorization},
    Row{"range", ""},
    Row{"referer", ""},
    Row{"refresh", ""},
    Row{"retry-after", "", Id::retry_after},
    Row{"server", ""},
    Row{"set-cookie", ""},
    Row{"strict-transport-security", ""},
    Row{"transfer-encoding", "", Id::transfer_encoding},
    Row{"user-agent", ""},
    Row{"vary", ""},
    Row{"via", ""},
    Row{"www-authenticate", ""},
};
static_assert(rows.size() == static_table_size);

constexpr std::size_t around_field = 4; // colon, space, CR, LF

consteval std::size_t text_size() {
    std::size_t size = 0;
    for (auto const& row : rows)
        size += row.name.size() + row.value.size() + around_field;
    return size;
}

using Text = std::array<char, text_size()>;

consteval Text make_text() {
    Text text{};
    auto at = text.begin();
    auto const put = [&at](std::string_view part) { at = std::copy(part.begin(), part.end(), at); };
    for (auto const& row : rows) {
        put(row.name);
        put(": ");
        put(row.value);
        put("\r\n");
    }
    return text;
}

constexpr Text text = make_text();

using Fields = std::array<TableField, static_table_size>;

consteval Fields make_fields() {
    Fields fields{};
    char const* line = text.data();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const& row = rows[i];
        auto& field = fields[i].field;
        field.record = {static_cast<std::uint16_t>(row.name.size()),
                        static_cast<std::uint16_t>(row.value.size()), row.id, row.pseudo};
        // RFC 9113, 8.2.2
        if (row.id == Id::transfer_encoding)
            field.refused = broken(http::rules::connection_specific_field);
        fields[i].line = line;
        line += field.record.line_size();
    }
    return fields;
}

constexpr Fields fields = make_fields();

constexpr std::size_t slot_count = 256;
using Slots = std::array<std::uint8_t, slot_count>;

struct PerfectHash {
    std::uint32_t seed = 0;
    Slots slots{}; // indices, 0: none
};

constexpr std::size_t slot_of(std::string_view name, std::uint32_t seed) {
    auto const at = [name](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
    };
    std::uint32_t const word = at(0) | at(name.size() - 1) << 8 | at(name.size() / 2) << 16
                               | static_cast<std::uint32_t>(name.size()) << 24;
    return (word * seed) >> 24;
}

consteval PerfectHash find_perfect_hash() {
    for (std::uint32_t seed = 0x9e3779b1;; seed += 2) {
        PerfectHash hash{seed, {}};
        bool is_perfect = true;
        for (std::size_t i = 0; i < rows.size() && is_perfect; ++i) {
            auto& slot = hash.slots[slot_of(rows[i].name, seed)];
            if (slot != 0 && rows[slot - 1U].name == rows[i].name) continue; // the first has it
            is_perfect = slot == 0;
            slot = static_cast<std::uint8_t>(i + 1);
        }
        if (is_perfect) return hash;
    }
}

constexpr PerfectHash perfect_hash = find_perfect_hash();

} // namespace

TableField const& static_field(std::size_t index) noexcept {
    return fields[index - 1];
}

std::size_t static_index_of(std::string_view name) noexcept {
    if (name.empty()) return 0;
    std::size_t const index = perfect_hash.slots[slot_of(name, perfect_hash.seed)];
    return index != 0 && rows[index - 1].name == name ? index : 0;
}

} // namespace sallyport::http2
