// `sallyport credential create` and `hash`: secrets are made from the system's randomness, and only
// their hashes are kept.
#include "gateway/commands/credential.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/text.h"
#include "config/types.h"
#include "gateway/text/ascii.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <termios.h>
#include <unistd.h>

namespace sallyport::commands {

namespace {

constexpr std::size_t shortest_secret = 22; // of 62 characters: 131 bits
constexpr std::size_t longest_secret = 4096;
constexpr std::size_t secret_length = 43; // of those that are made here: 256 bits

// Letters and digits: safe in YAML, shells, URLs and the fields of RFC 7617 and 6750. `length` of
// them, or nothing.
std::optional<std::string> random_text(std::size_t length) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    // The largest multiple of 62 in a byte: what lies above would make some characters likelier.
    constexpr unsigned fair = 248;
    std::string out;
    std::array<unsigned char, 64> bytes{};
    while (out.size() < length) {
        if (::RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return std::nullopt;
        for (unsigned char const byte : bytes) {
            if (byte < fair && out.size() < length) out += alphabet[byte % alphabet.size()];
        }
    }
    ::explicit_bzero(bytes.data(), bytes.size());
    return out;
}

std::string hash_text(std::span<unsigned char const> digest) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "sha256:";
    for (unsigned char const byte : digest) {
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    }
    return out;
}

std::optional<std::string> hash_of(std::string_view secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size = digest.size();
    if (::EVP_Q_digest(nullptr, "SHA256", nullptr, secret.data(), secret.size(), digest.data(),
                       &size)
        != 1) {
        return std::nullopt;
    }
    return hash_text({digest.data(), size});
}

// `all`, `{ operations: ["a/*"] }`, or, where nothing was said, an entry that does not load before
// it is completed.
std::string allow_text(std::vector<std::string> const& allow) {
    if (allow.empty()) {
        return "{} # to be completed: all, or { operations: [API/operationId, \"API/*\"] }";
    }
    if (allow.size() == 1 && allow.front() == "all") return "all";
    std::string out = "{ operations: [";
    for (std::string const& operation : allow) {
        if (out.back() != '[') out += ", ";
        out += config::in_quotes(operation);
    }
    return out + "] }";
}

// Whether secrets of this kind have a key id beside them, and are not found by themselves.
bool has_key_id(config::IdentitySettings const& kind) {
    return kind.unique.key != kind.secrets->key;
}

std::string entry_text(CreateOptions const& options, config::Authenticator const& kind,
                       std::string_view key_id, std::string_view hash) {
    std::string out = "  - name: " + options.name + "\n    ";
    out.append(kind.name).append(": { ");
    if (has_key_id(*kind.identity))
        out.append(kind.identity->unique.key).append(": \"").append(key_id).append("\", ");
    out.append(kind.identity->secrets->key).append(": [\"").append(hash).append("\"] }\n");
    return out + "    allow: " + allow_text(options.allow) + '\n';
}

bool is_name(std::string_view name) {
    auto const is_word = [](char c) { return text::is_letter_or_digit(c); };
    return !name.empty() && name.size() <= 64 && is_word(name.front())
           && std::all_of(name.begin(), name.end(),
                          [&](char c) { return is_word(c) || c == '.' || c == '_' || c == '-'; });
}

// What the file of credentials would refuse of it; empty: nothing. Whether there is such an API, or
// such an operation, is said by `check`.
std::string problem_of_allow(std::vector<std::string> const& allow) {
    for (std::string const& word : allow) {
        if (word == "all") {
            if (allow.size() == 1) continue;
            return "\"all\" stands alone; leave the others out";
        }
        std::size_t const slash = word.find('/');
        bool const is_operation = slash != std::string::npos && is_name(word.substr(0, slash))
                                  && slash + 1 < word.size()
                                  && word.find('/', slash + 1) == std::string::npos;
        if (!is_operation) {
            return config::in_quotes(word)
                   + " is no operation; write all, API/operationId or API/*";
        }
    }
    return {};
}

// Keeps what is typed off the screen.
class HiddenInput {
public:
    HiddenInput() {
        if (::isatty(STDIN_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios hidden = before_;
        hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        is_hidden_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &hidden) == 0;
    }
    HiddenInput(HiddenInput const&) = delete;
    HiddenInput& operator=(HiddenInput const&) = delete;
    ~HiddenInput() {
        if (is_hidden_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    [[nodiscard]] bool is_active() const { return is_hidden_; }

private:
    termios before_{};
    bool is_hidden_ = false;
};

// What a secret must be for a fast hash to do; empty: it is right.
std::string_view problem_of(std::string_view secret) {
    if (secret.size() < shortest_secret) {
        return "a secret for a sha256 hash has at least 22 generated characters; "
               "make one with `sallyport credential create`";
    }
    if (secret.size() > longest_secret) return "the secret is longer than 4096 bytes";
    bool const has_control = std::any_of(secret.begin(), secret.end(), [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
    if (secret.find('\0') != std::string_view::npos) return "the secret holds U+0000 (NUL)";
    if (has_control) return "the secret holds a control character, or more than one line";
    return {};
}

// All that is there, up to one byte more than a secret may have; a line end at its end is left out.
std::string read_secret(std::istream& in) {
    std::string out(longest_secret + 3, '\0');
    in.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(in.gcount()));
    if (!out.empty() && out.back() == '\n') out.pop_back();
    if (!out.empty() && out.back() == '\r') out.pop_back();
    return out;
}

// Null: there is no such kind.
config::Authenticator const* find_kind(config::Authenticators authenticators,
                                       std::string_view name) {
    for (auto const* const kind : kinds_of_credentials(authenticators)) {
        if (name.empty() || kind->name == name) return kind;
    }
    return nullptr;
}

} // namespace

std::vector<config::Authenticator const*>
kinds_of_credentials(config::Authenticators authenticators) {
    std::vector<config::Authenticator const*> out;
    for (auto const* const one : authenticators) {
        if (one->identity && one->identity->secrets) out.push_back(one);
    }
    return out;
}

int run_credential_create(CreateOptions const& options, config::Authenticators authenticators,
                          std::ostream& out, std::ostream& err) {
    constexpr std::size_t key_id_length = 20;
    if (!is_name(options.name)) {
        err << "--name: write at most 64 letters, digits, '.', '_' or '-', a letter or digit "
               "first\n";
        return 2;
    }
    if (auto const problem = problem_of_allow(options.allow); !problem.empty()) {
        err << "--allow: " << problem << '\n';
        return 2;
    }
    auto const* const kind = find_kind(authenticators, options.kind);
    if (kind == nullptr) {
        err << "--kind: no authenticator has generated secrets under "
            << config::in_quotes(options.kind) << '\n';
        return 2;
    }
    auto const key_id = random_text(key_id_length);
    auto secret = random_text(secret_length);
    auto const hash = secret ? hash_of(*secret) : std::nullopt;
    if (!key_id || !hash) {
        err << "no random numbers could be had\n";
        return 1;
    }
    bool const shows_key_id = has_key_id(*kind->identity);
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name) << ",\"kind\":" << json_string(kind->name)
            << ",\"key_id\":" << (shows_key_id ? json_string(*key_id) : "null")
            << ",\"secret\":" << json_string(*secret) << ",\"hash\":" << json_string(*hash)
            << "}\n";
    } else {
        if (shows_key_id) out << kind->identity->unique.noun << ": " << *key_id << '\n';
        out << kind->identity->secrets->noun << ": " << *secret
            << "\n\nThis is the only time that it is shown. For the file of credentials, under "
               "`credentials:`:\n\n"
            << entry_text(options, *kind, *key_id, *hash);
    }
    config::wipe(*secret);
    return 0;
}

int run_credential_rotate(RotateOptions const& options, config::Tables const& tables,
                          std::ostream& out, std::ostream& err) {
    auto const read = config::load_config(options.config, tables);
    print_problems(err, read.problems);
    if (read.has_errors()) return 1;
    auto const all = config::load_credentials(read.config, tables);
    print_problems(err, all.problems);
    if (all.has_errors()) return 1;
    auto const found = std::find_if(all.credentials.begin(), all.credentials.end(),
                                    [&](auto const& one) { return one.name == options.name; });
    if (found == all.credentials.end()) {
        std::vector<std::string_view> names;
        for (auto const& one : all.credentials)
            names.emplace_back(one.name);
        err << "no credential is called " << config::in_quotes(options.name) << "; "
            << config::suggestion(options.name, names) << '\n';
        return 1;
    }
    auto const& generated = found->identity.authenticator->identity->secrets;
    if (!generated) {
        err << "a credential of " << found->identity.authenticator->name
            << " has no generated secret\n";
        return 1;
    }
    auto const& digests = found->identity.secrets;
    if (digests.size() != 1) {
        err << "the credential has two secrets already; take out the one that is not used any "
               "more\n";
        return 1;
    }
    auto secret = random_text(secret_length);
    auto const hash = secret ? hash_of(*secret) : std::nullopt;
    if (!hash) {
        err << "no random numbers could be had\n";
        return 1;
    }
    auto const old = hash_text(digests.front());
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name) << ",\"secret\":" << json_string(*secret)
            << ",\"hashes\":[" << json_string(old) << ',' << json_string(*hash) << "]}\n";
    } else {
        out << generated->noun << ": " << *secret
            << "\n\nThis is the only time that it is shown. In the entry of " << options.name
            << ", until its callers have the new one:\n\n    " << generated->key << ": [\"" << old
            << "\", \"" << *hash << "\"]\n\nThen take the first one out.\n";
    }
    config::wipe(*secret);
    return 0;
}

int run_credential_hash(Format format, std::istream& in, std::ostream& out, std::ostream& err) {
    HiddenInput const hidden;
    if (hidden.is_active()) err << "secret, then Enter and Ctrl-D: " << std::flush;
    std::string secret = read_secret(in);
    if (hidden.is_active()) err << '\n';
    std::string_view const problem = problem_of(secret);
    auto const hash = problem.empty() ? hash_of(secret) : std::nullopt;
    config::wipe(secret);
    if (!hash) {
        err << (problem.empty() ? "SHA-256 is not there" : problem) << '\n';
        return 1;
    }
    if (format == Format::json) {
        out << "{\"hash\":" << json_string(*hash) << "}\n";
    } else {
        out << *hash << '\n';
    }
    return 0;
}

} // namespace sallyport::commands
