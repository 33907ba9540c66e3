// Where the keys of an issuer come from, in the configuration: see key_settings.h.
#include "plugins/jwt/key_settings.h"

#include "plugins/fetch_settings.h"

#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using config::Reader;
using config::Value;
using std::chrono::hours;
using std::chrono::seconds;

config::Key<KeySettings> url_key(std::string_view name, std::string KeySettings::*member,
                                 std::string_view help) {
    return config::custom_key<KeySettings>(
        {name, url_shape(), help}, [member](Reader& reader, Value const& value, KeySettings& out) {
            if (auto url = read_url(reader, value)) {
                out.*member = std::move(*url);
                out.url_origin = Reader::origin_of(value);
            }
        });
}

config::Section<KeySettings> const& section() {
    using T = KeySettings;
    static config::Section<T> const section{
        "keys of jwt",
        {
            config::file_key("file", &T::file,
                             "a JWK Set (RFC 7517), one JWK, or public keys and certificates in "
                             "PEM; either this or url or discovery"),
            url_key("url", &T::url, "a JWK Set that is fetched, and kept up to date"),
            url_key("discovery", &T::discovery,
                    "a document of OpenID Connect Discovery, whose jwks_uri is fetched too"),
            config::file_key("ca", &T::ca,
                             "PEM: who signs the server's certificate; without it the system's"),
            config::duration_key("refresh", &T::refresh, seconds{1}, hours{24},
                                 "from one fetch to the next; earlier where the response is fresh "
                                 "for less"),
            config::duration_key("keep", &T::keep, seconds{1}, hours{168},
                                 "how long the last set is used while none can be fetched"),
        },
        {.one_of = {"file", "url", "discovery"}, .choice = "write one of them"}};
    return section;
}

// Of keys that are there, since the defaults are no mistake.
void check_fetching(Reader& reader, Value const& value, KeySettings const& keys) {
    for (std::string_view const key : {"ca", "refresh", "keep"}) {
        auto const* const entry = value.node->find_entry(key);
        if (entry == nullptr || !keys.file) continue;
        reader.refuse(config::Origin{entry->mark, value.path.key(key)},
                      "is for keys that are fetched", "remove it");
    }
    if (keys.keep < keys.refresh)
        reader.refuse(value, "`keep` is less than `refresh`: there would be times without keys",
                      "write a longer keep, or a shorter refresh");
}

} // namespace

config::SectionInfo const& key_info() {
    return section().info();
}

void read_keys(Reader& reader, Value const& value, KeySettings& out) {
    section().read(reader, value, out);
    if (!value.node->is_mapping()) return;
    (void)reader.check_choice(Reader::origin_of(value), value, section().info().rules);
    check_fetching(reader, value, out);
}

} // namespace sallyport::plugins
