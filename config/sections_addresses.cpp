// The keys `allow_addresses` and `deny_addresses` of listeners and APIs: which clients may come.
#include "config/patterns.h"
#include "config/sections.h"

#include <algorithm>

namespace sallyport::config {

namespace {

constexpr std::int64_t most_networks = 1024;

void refuse_network(Reader& reader, Value const& item, text::NetworkError error) {
    if (error == text::NetworkError::has_host_bits) {
        reader.refuse(item, Reader::shown(item) + " has bits behind its length",
                      "write the first address of the network, or one address without a length");
    } else {
        reader.refuse(item, Reader::shown(item) + " is neither a network nor an address",
                      "write it as in 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1");
    }
}

} // namespace

Shape networks_shape() {
    return list_shape(text_shape(64, network_pattern()), 0, most_networks, Repeats::refused);
}

void read_networks(Reader& reader, Value const& value, std::vector<text::Network>& out) {
    auto const items = reader.read_list(value, Empty::allowed);
    if (static_cast<std::int64_t>(items.size()) > most_networks)
        reader.refuse(value, "has more than 1024 networks", "write fewer");
    for (Value const& item : items) {
        auto const written = reader.read_line(item, 64);
        if (!written) continue;
        auto const parsed = text::parse_network(*written);
        if (parsed.error != text::NetworkError::none) {
            refuse_network(reader, item, parsed.error);
        } else if (std::find(out.begin(), out.end(), parsed.network) != out.end()) {
            reader.refuse(item, "the network is given twice", "remove one");
        } else {
            out.push_back(parsed.network);
        }
    }
}

} // namespace sallyport::config
