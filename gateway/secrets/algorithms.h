// The algorithms of slow hashes, each of which a library computes.
#pragma once

#include "gateway/secrets/stored_hash.h"
#include "gateway/secrets/verify.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::secrets {

/// argon2id (RFC 9106) of libargon2, on the calling thread alone, whatever its number of lanes.
[[nodiscard]] Verified verify_argon2id(std::string_view hash, std::string_view secret);
/// In the PHC string format. Nullopt: there is no memory.
[[nodiscard]] std::optional<std::string> make_argon2id(std::string_view secret);

/// bcrypt, yescrypt and SHA-512 of libcrypt: crypt(5).
[[nodiscard]] Verified verify_crypt(std::string_view hash, std::string_view secret);
/// `prefix`, `count`: crypt_gensalt(3). Nullopt: libcrypt cannot.
[[nodiscard]] std::optional<std::string> make_crypt(char const* prefix, unsigned long count,
                                                    std::string_view secret);

/// Of 22 digits: the MD5-based hash of htpasswd, `$apr1$` (APR's apr_md5.c). Nullopt: OpenSSL has
/// no MD5.
[[nodiscard]] std::optional<std::string> apr1_of(std::string_view salt, std::string_view secret);

} // namespace sallyport::secrets
