// Reads hashes of secrets: see stored_hash.h.
#include "gateway/secrets/stored_hash.h"

#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"
#include "gateway/text/hexadecimal.h"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sallyport::secrets {

namespace {

using std::string_view;

constexpr string_view sha256_start = "sha256:";
constexpr string_view apr1_start = "$apr1$";
constexpr string_view sha1_start = "{SHA}";

// Of lower-case hexadecimal digits, so that a hash has one spelling and can be searched for; of any
// other character more than 15.
constexpr auto value_of_digit = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned c = 0; c < table.size(); ++c) {
        bool const is_capital = c >= 'A' && c <= 'F';
        int const value = is_capital ? -1 : text::hex_value(static_cast<char>(c));
        table[c] = static_cast<std::uint8_t>(value);
    }
    return table;
}();

// What verifications cost on a processor of 2020 at 3 GHz, in nanoseconds. They are compared with
// each other, and only their magnitudes matter.
constexpr std::uint64_t argon2id_ns = 1'000; // a KiB and pass
constexpr std::uint64_t bcrypt_ns = 64'000;  // of the 2^cost rounds
constexpr std::uint64_t yescrypt_ns = 3'500; // a KiB
constexpr std::uint64_t sha512_ns = 350;     // a round
constexpr std::uint64_t apr1_us = 600;

// Bounds: about two seconds, and 256 MiB.
constexpr std::uint64_t most_memory = 262'144;          // KiB
constexpr std::uint64_t most_memory_passes = 2'097'152; // KiB and passes
constexpr std::uint64_t most_lanes = 16;
constexpr std::uint64_t least_rounds = 1'000; // of $6$ in libcrypt, too
constexpr std::uint64_t most_rounds = 5'000'000;
constexpr std::uint64_t least_bcrypt = 4;
constexpr std::uint64_t most_bcrypt = 15;

// OWASP's Password Storage Cheat Sheet: the least parameters of argon2id all come to as much.
constexpr std::uint64_t enough_memory_passes = 35'840; // m=7168, t=5
constexpr std::uint64_t enough_bcrypt = 10;
// It does not name the two others. What crypt_gensalt(3) takes by default, rounds=5, in KiB.
constexpr std::uint64_t enough_yescrypt = 16'384;
// The sheet's least of PBKDF2 with HMAC-SHA-512, the nearest that it has. crypt(5) calls its own
// default, 5,000, too low.
constexpr std::uint64_t enough_rounds = 210'000;

bool is_crypt_character(char c) {
    return text::is_letter_or_digit(c) || c == '.' || c == '/';
}

// crypt(5): the digits of its base 64, in their order.
constexpr string_view crypt_digits =
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_crypt_text(string_view text) {
    return std::all_of(text.begin(), text.end(), is_crypt_character);
}

// The text up to `end`, which is removed with it; all of it if there is none.
string_view take_until(string_view& text, char end) {
    auto const at = std::min(text.find(end), text.size());
    auto const part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

bool take_start(string_view& text, string_view start) {
    if (!text.starts_with(start)) return false;
    text.remove_prefix(start.size());
    return true;
}

std::optional<std::uint64_t> parse_number(string_view text) {
    if (text.size() > 10) return std::nullopt;
    return text::parse_digits<std::uint64_t>(text);
}

Sha256 digest_of(string_view text) {
    Sha256 out{};
    std::size_t size = out.size();
    if (::EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), out.data(), &size)
        != 1) {
        throw std::runtime_error{"OpenSSL has no SHA-256"};
    }
    return out;
}

std::string between(std::uint64_t least, std::uint64_t most) {
    return std::to_string(least) + " to " + std::to_string(most);
}

constexpr string_view how_to_make = "`sallyport credential hash --kind ";

std::string make_it_with(Kind kind) {
    return std::string{how_to_make} + std::string{to_string(kind)} + "` makes one that is taken";
}

} // namespace

string_view to_string(Kind kind) {
    switch (kind) {
    case Kind::sha256: return "sha256";
    case Kind::argon2id: return "argon2id";
    case Kind::bcrypt: return "bcrypt";
    case Kind::yescrypt: return "yescrypt";
    case Kind::sha512_crypt: return "sha512";
    case Kind::apr1: return "apr1";
    case Kind::sha1: break;
    }
    return "{SHA}";
}

std::string StoredHash::text() const {
    if (kind_ != Kind::sha256) return text_;
    static constexpr string_view digits = "0123456789abcdef";
    std::string out{sha256_start};
    for (auto const byte : fingerprint_) {
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    }
    return out;
}

std::optional<Sha256> parse_sha256(string_view text) {
    Sha256 out{};
    if (!take_start(text, sha256_start) || text.size() != 2 * out.size()) return std::nullopt;
    unsigned all = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        unsigned const high = value_of_digit[static_cast<unsigned char>(text[2 * i])];
        unsigned const low = value_of_digit[static_cast<unsigned char>(text[2 * i + 1])];
        all |= high | low;
        out[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    if (all > 15) return std::nullopt;
    return out;
}

std::optional<std::string> decode_base64(string_view text) {
    std::string padded{text};
    while (padded.size() % 4 != 0)
        padded += '=';
    auto const padding = padded.size() - text.size();
    if (text.empty() || padding > 2 || text.size() > longest_hash) return std::nullopt;
    auto const* const in = reinterpret_cast<unsigned char const*>(padded.data());
    std::vector<unsigned char> bytes(padded.size() / 4 * 3);
    int const size = ::EVP_DecodeBlock(bytes.data(), in, static_cast<int>(padded.size()));
    if (size < 0) return std::nullopt;
    std::string out(bytes.begin(), bytes.begin() + size - static_cast<std::ptrdiff_t>(padding));
    // RFC 4648, 3.5: one spelling; EVP_DecodeBlock also skips white space.
    std::string again(padded.size() + 1, '\0');
    ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(again.data()),
                      reinterpret_cast<unsigned char const*>(out.data()),
                      static_cast<int>(out.size()));
    again.pop_back();
    return again == padded ? std::optional{std::move(out)} : std::nullopt;
}

std::optional<Argon2id> parse_argon2id(string_view text) {
    if (!take_start(text, "$argon2id$v=19$")) return std::nullopt;
    auto const number = [&text](string_view name, char end) -> std::optional<std::uint64_t> {
        if (!take_start(text, name)) return std::nullopt;
        return parse_number(take_until(text, end));
    };
    auto const memory = number("m=", ',');
    auto const passes = number("t=", ',');
    auto const lanes = number("p=", '$');
    if (!memory || !passes || !lanes) return std::nullopt;
    for (auto const value : {*memory, *passes, *lanes})
        if (value == 0 || value > UINT32_MAX) return std::nullopt;
    auto const salt = decode_base64(take_until(text, '$'));
    auto const hash = decode_base64(text);
    if (!salt || !hash) return std::nullopt;
    return Argon2id{static_cast<std::uint32_t>(*memory), static_cast<std::uint32_t>(*passes),
                    static_cast<std::uint32_t>(*lanes), *salt, *hash};
}

/// Makes hashes of texts.
struct HashParser {
    static ParsedHash taken(Kind kind, string_view text, std::uint64_t cost, bool is_enough) {
        StoredHash hash;
        hash.kind_ = kind;
        hash.text_ = text;
        hash.fingerprint_ = digest_of(text);
        hash.cost_ = std::max<std::uint64_t>(cost, 1);
        hash.strength_ = is_enough ? Strength::enough : Strength::little;
        return {std::move(hash), {}};
    }
    static ParsedHash refused(std::string what, std::string hint) {
        return {std::nullopt, {std::move(what), std::move(hint)}};
    }
    static ParsedHash malformed(Kind kind, string_view form) {
        return refused("begins like a hash of " + std::string{to_string(kind)}
                           + ", and is none: it is cut off, or has other characters",
                       "the form is " + std::string{form} + "; " + make_it_with(kind));
    }
    static ParsedHash out_of_bounds(Kind kind, std::string what) {
        return refused("a hash of " + std::string{to_string(kind)} + " with " + std::move(what),
                       make_it_with(kind));
    }

    static ParsedHash argon2id(string_view text) {
        auto const parts = parse_argon2id(text);
        if (!parts)
            return malformed(Kind::argon2id, "$argon2id$v=19$m=KiB,t=PASSES,p=LANES$SALT$HASH");
        std::uint64_t const memory = parts->memory;
        std::uint64_t const memory_passes = memory * parts->passes;
        if (parts->lanes > most_lanes)
            return out_of_bounds(Kind::argon2id, "p of more than " + std::to_string(most_lanes));
        // RFC 9106, 3.1.
        if (memory < 8UL * parts->lanes || memory > most_memory) {
            return out_of_bounds(Kind::argon2id, "m that is not 8 x p to "
                                                     + std::to_string(most_memory) + " (256 MiB)");
        }
        if (memory_passes > most_memory_passes)
            return out_of_bounds(Kind::argon2id,
                                 "m x t of more than " + std::to_string(most_memory_passes));
        if (parts->salt.size() < 8 || parts->salt.size() > 64)
            return out_of_bounds(Kind::argon2id, "a salt that is not 8 to 64 bytes");
        if (parts->hash.size() < 16 || parts->hash.size() > 64)
            return out_of_bounds(Kind::argon2id, "a hash that is not 16 to 64 bytes");
        return taken(Kind::argon2id, text, memory_passes * argon2id_ns / 1'000,
                     memory_passes >= enough_memory_passes);
    }

    static ParsedHash bcrypt(string_view text) {
        constexpr std::size_t size = 60;
        bool const is_whole = text.size() == size && text[6] == '$' && text::is_digit(text[4])
                              && text::is_digit(text[5]) && is_crypt_text(text.substr(7));
        // Of the 132 bits of a salt and the 186 of a hash 128 and 184 are used; others never match.
        bool const is_canonical =
            is_whole && string_view{".Oeu"}.find(text[28]) != string_view::npos
            && string_view{".CGKOSWaeimquy26"}.find(text[59]) != string_view::npos;
        if (!is_canonical) return malformed(Kind::bcrypt, "$2b$COST$SALT-AND-HASH, 60 characters");
        auto const cost = static_cast<std::uint64_t>(10 * (text[4] - '0') + (text[5] - '0'));
        if (cost < least_bcrypt || cost > most_bcrypt)
            return out_of_bounds(Kind::bcrypt,
                                 "a cost that is not " + between(least_bcrypt, most_bcrypt));
        return taken(Kind::bcrypt, text, (bcrypt_ns << cost) / 1'000, cost >= enough_bcrypt);
    }

    static ParsedHash yescrypt(string_view text) {
        auto rest = text.substr(3);
        auto const parameters = take_until(rest, '$');
        auto const salt = take_until(rest, '$');
        bool const is_whole = is_crypt_text(parameters) && is_crypt_text(salt)
                              && is_crypt_text(rest) && !parameters.empty() && !salt.empty()
                              && salt.size() <= 86 && rest.size() == 43;
        if (!is_whole) return malformed(Kind::yescrypt, "$y$PARAMETERS$SALT$HASH");
        // crypt(5): `j`, the flavour of all that is made; N as a power of two, then r, both from 1.
        auto const n = parameters.size() == 3 ? crypt_digits.find(parameters[1]) + 1 : 0;
        auto const r = parameters.size() == 3 ? crypt_digits.find(parameters[2]) + 1 : 0;
        bool const is_known = parameters.size() == 3 && parameters[0] == 'j' && n <= 30 && r <= 48;
        auto const memory = is_known ? (std::uint64_t{r} << n) / 8 : 0; // 128 x r x N bytes
        if (!is_known || memory > most_memory)
            return out_of_bounds(Kind::yescrypt, "parameters beyond those of rounds 1 to 9");
        return taken(Kind::yescrypt, text, memory * yescrypt_ns / 1'000, memory >= enough_yescrypt);
    }

    static ParsedHash sha512(string_view text) {
        auto rest = text.substr(3);
        std::uint64_t rounds = 5'000; // crypt(5)
        bool has_number = true;
        if (take_start(rest, "rounds=")) {
            auto const number = parse_number(take_until(rest, '$'));
            has_number = number.has_value();
            rounds = number.value_or(0);
        }
        auto const salt = take_until(rest, '$');
        bool const is_whole = has_number && is_crypt_text(salt) && !salt.empty()
                              && salt.size() <= 16 && rest.size() == 86 && is_crypt_text(rest);
        if (!is_whole) return malformed(Kind::sha512_crypt, "$6$rounds=NUMBER$SALT$HASH");
        if (rounds < least_rounds || rounds > most_rounds)
            return out_of_bounds(Kind::sha512_crypt,
                                 "rounds that are not " + between(least_rounds, most_rounds));
        return taken(Kind::sha512_crypt, text, rounds * sha512_ns / 1'000, rounds >= enough_rounds);
    }

    static ParsedHash apr1(string_view text) {
        auto rest = text.substr(apr1_start.size());
        auto const salt = take_until(rest, '$');
        bool const is_whole = is_crypt_text(salt) && !salt.empty() && salt.size() <= 8
                              && rest.size() == 22 && is_crypt_text(rest);
        if (!is_whole)
            return refused("begins like a hash of apr1, and is none", "write it with htpasswd -B");
        return taken(Kind::apr1, text, apr1_us, false);
    }

    static ParsedHash sha1(string_view text) {
        constexpr std::size_t digest_size = 20;
        auto rest = text.substr(sha1_start.size());
        bool const has_padding = rest.size() == 28 && rest.ends_with('=');
        auto const digest = has_padding ? decode_base64(rest.substr(0, 27)) : std::nullopt;
        if (!digest || digest->size() != digest_size)
            return refused("begins like a hash of {SHA}, and is none", "write it with htpasswd -B");
        return taken(Kind::sha1, text, 1, false);
    }

    static ParsedHash fast(string_view text) {
        if (auto const digest = parse_sha256(text)) return {StoredHash{*digest}, {}};
        return refused("sha256: must be followed by 64 lower-case hexadecimal digits",
                       "write \"sha256:...\" as `sallyport credential hash` prints it");
    }

    // What is a hash elsewhere, but not here.
    static ParsedHash unknown(string_view text, From from) {
        bool const is_password_hash = text.starts_with('$') || text.starts_with('{');
        if (from == From::htpasswd) {
            return refused(is_password_hash
                               ? "a hash of a kind that is not taken"
                               : "no hash that is known: a plain password, or one of crypt(3) that "
                                 "counts eight characters",
                           "write it with htpasswd -B (bcrypt), or `sallyport credential hash "
                           "--kind argon2id`");
        }
        if (text.starts_with(apr1_start) || text.starts_with(sha1_start)) {
            return refused("too fast a hash for a password: it is read from htpasswd files only",
                           make_it_with(Kind::argon2id));
        }
        if (is_password_hash)
            return refused("a hash of a kind that is not taken", make_it_with(Kind::argon2id));
        return refused("not a hash: a secret never stands here itself",
                       "write \"sha256:...\" as `sallyport credential hash` prints it for a "
                       "generated secret; of a password the hash that it prints with --kind "
                       "argon2id");
    }
};

ParsedHash parse_hash(string_view text, From from) {
    using P = HashParser;
    if (text.size() > longest_hash)
        return P::refused("longer than any hash", make_it_with(Kind::argon2id));
    if (text.starts_with(sha256_start)) return P::fast(text);
    if (text.starts_with("$argon2id$")) return P::argon2id(text);
    for (string_view const start : {"$2a$", "$2b$", "$2y$"})
        if (text.starts_with(start)) return P::bcrypt(text);
    if (text.starts_with("$y$")) return P::yescrypt(text);
    if (text.starts_with("$6$")) return P::sha512(text);
    if (from == From::htpasswd && text.starts_with(apr1_start)) return P::apr1(text);
    if (from == From::htpasswd && text.starts_with(sha1_start)) return P::sha1(text);
    return P::unknown(text, from);
}

} // namespace sallyport::secrets
