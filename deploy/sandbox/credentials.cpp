// Reads the credentials of the sandbox, and those of requests.
#include "deploy/sandbox/credentials.h"

#include "deploy/sandbox/identity.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace sallyport::sandbox {
namespace {

// The only value of the field; empty if there are several, because the intended one is unknown.
std::optional<std::string_view> authorization_of(Fields const& fields) {
    std::optional<std::string_view> found;
    for (auto const& [name, value] : fields) {
        if (to_lower(name) != "authorization") continue;
        if (found) return std::nullopt;
        found = value;
    }
    return found;
}

// RFC 4648, 4, with its padding; empty if it is invalid.
std::optional<std::string> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > 8192) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    int const size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<unsigned char const*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    int const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bytes.resize(static_cast<std::size_t>(std::max(size - padding, 0)));
    return bytes;
}

// RFC 7617, 2: the scheme is case-insensitive, then `user-id:password` in base64.
std::optional<std::string> key_of(std::string_view authorization) {
    constexpr std::string_view scheme = "basic ";
    if (to_lower(authorization.substr(0, scheme.size())) != scheme) return std::nullopt;
    authorization.remove_prefix(scheme.size());
    authorization.remove_prefix(
        std::min(authorization.find_first_not_of(' '), authorization.size()));
    return from_base64(authorization);
}

// As authorization.split('Bearer ')[1] in ECMAScript.
std::optional<std::string> token_of(std::string_view authorization) {
    constexpr std::string_view word = "Bearer ";
    std::size_t const at = authorization.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view const rest = authorization.substr(at + word.size());
    return std::string{rest.substr(0, rest.find(word))};
}

bool holds(std::vector<std::string> const& known, std::string const& given) {
    bool found = false;
    for (std::string const& one : known) {
        // In a time that does not depend on the secret.
        found |= one.size() == given.size()
                 && CRYPTO_memcmp(one.data(), given.data(), given.size()) == 0;
    }
    return found;
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blank = " \t\r";
    std::size_t const first = line.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blank) - first + 1);
}

} // namespace

Credentials::Credentials(Required required) : required_{required} {
    keys_.push_back(std::string{default_key_id} + ":" + std::string{default_key_secret});
    tokens_.emplace_back(default_token);
}

Credentials Credentials::read(std::string_view text) {
    constexpr std::string_view basic = "basic ";
    constexpr std::string_view bearer = "bearer ";
    Credentials credentials;
    credentials.keys_.clear();
    credentials.tokens_.clear();
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::size_t const end = text.find('\n');
        std::string_view const line = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line.front() == '#') continue;
        if (line.starts_with(basic) && line.find(':') != std::string_view::npos) {
            credentials.keys_.emplace_back(trimmed(line.substr(basic.size())));
        } else if (line.starts_with(bearer)) {
            credentials.tokens_.emplace_back(trimmed(line.substr(bearer.size())));
        } else {
            // Without quoting the line: it may contain a secret.
            throw std::runtime_error{"line " + std::to_string(number)
                                     + " is neither `basic KEY_ID:SECRET` nor `bearer TOKEN`"};
        }
    }
    return credentials;
}

bool Credentials::admit(Api api, Fields const& fields) const {
    if (required_ == Required::no) return true;
    auto const authorization = authorization_of(fields);
    if (!authorization) return false;
    if (api == Api::management) {
        auto const key = key_of(*authorization);
        return key && holds(keys_, *key);
    }
    auto const token = token_of(*authorization);
    return token && holds(tokens_, *token);
}

} // namespace sallyport::sandbox
