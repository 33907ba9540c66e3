// How the gateway proves who it is to an authorization server: see client.h.
#include "gateway/fetch/client.h"

#include "gateway/http/authorization.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"

#include <openssl/crypto.h>

#include <array>

namespace sallyport::fetch {

void append_form_value(std::string& to, std::string_view text) {
    constexpr std::string_view plain = "-._";
    for (char const c : text) {
        if (text::is_letter_or_digit(c) || plain.find(c) != std::string_view::npos) {
            to += c;
        } else {
            text::append_escape(to, c);
        }
    }
}

config::Secret client_authorization(std::string_view id, std::string_view secret) {
    std::string escaped_id;
    append_form_value(escaped_id, id);
    std::string escaped_secret;
    escaped_secret.reserve(3 * secret.size()); // no copy is left behind
    append_form_value(escaped_secret, secret);
    std::array<char, http::authorization_storage> storage{};
    auto const spelled = http::spell_basic(escaped_id, escaped_secret, storage);
    config::Secret authorization{spelled.value_or("")};
    OPENSSL_cleanse(storage.data(), storage.size());
    config::wipe(escaped_secret);
    return authorization;
}

} // namespace sallyport::fetch
