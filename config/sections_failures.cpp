// The section `failed_authentication`: what clients may send of wrong credentials.
#include "config/sections.h"

namespace sallyport::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void read_except(Reader& reader, Value const& value, FailedAuthentication& out) {
    out.except.clear();
    read_networks(reader, value, out.except);
}

} // namespace

Section<FailedAuthentication> const& failed_authentication_section() {
    using T = FailedAuthentication;
    KeyInfo except{"except", networks_shape(), "clients that are never blocked",
                   "[127.0.0.0/8, \"::1\"]"};
    static Section<T> const section{
        "failed_authentication",
        {
            integer_key("per_address", &T::per_address, 1, 1'000'000,
                        "requests with wrong credentials from one IPv4 address, or one IPv6 "
                        "network of 64 bits, within window; the next one blocks it"),
            integer_key("per_id", &T::per_id, 1, 1'000'000,
                        "of them, of one key id, from everywhere, where some secret has a slow "
                        "hash; then its passwords are not verified"),
            duration_key("window", &T::window, milliseconds{1}, hours{24},
                         "in which they are counted"),
            duration_key("first_block", &T::first_block, milliseconds{1}, hours{24},
                         "how long wrong credentials are then answered with 429; twice as long "
                         "with each block that follows"),
            duration_key("longest_block", &T::longest_block, milliseconds{1}, hours{24},
                         "and not longer than this"),
            custom_key<T>(std::move(except), read_except),
        }};
    return section;
}

void check_failed_authentication(Reader& reader, yaml::Node const& root, Config const& config) {
    auto const& section = config.failed_authentication;
    if (section.first_block <= section.longest_block) return;
    constexpr auto name = "failed_authentication.first_block";
    if (reader.has_left_open(name) || reader.has_left_open("failed_authentication.longest_block"))
        return;
    yaml::Node const* const node = root.find("failed_authentication");
    yaml::Node const* const written = node->find("first_block");
    reader.refuse(Origin{written != nullptr ? written->mark() : node->mark(), name},
                  "is longer than longest_block (" + format_duration(section.longest_block) + ')',
                  "write a shorter one, or a longer longest_block");
}

} // namespace sallyport::config
