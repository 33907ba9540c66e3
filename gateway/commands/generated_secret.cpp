// Makes secrets, and reads them.
#include "gateway/commands/generated_secret.h"

#include "config/types.h"
#include "gateway/secrets/verify.h"
#include "gateway/text/utf8.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <ostream>
#include <termios.h>
#include <unistd.h>

namespace sallyport::commands {

namespace {

constexpr std::size_t shortest_secret = 22;  // of 62 characters: 131 bits
constexpr std::size_t shortest_password = 8; // NIST SP 800-63B, 5.1.1.2
constexpr std::size_t longest_secret = 4096;

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

// What a secret must be for a hash of that kind; empty: it is right.
std::string problem_of(std::string_view secret, secrets::Kind kind) {
    bool const is_password = kind != secrets::Kind::sha256;
    if (is_password && secret.size() < shortest_password)
        return "a password has at least 8 characters";
    if (!is_password && secret.size() < shortest_secret) {
        return "a secret for a sha256 hash has at least 22 generated characters; "
               "make one with `sallyport credential create`, or hash a password with --kind "
               "argon2id";
    }
    auto const longest = std::min(longest_secret, secrets::longest_secret(kind));
    if (secret.size() > longest)
        return "the secret is longer than " + std::to_string(longest) + " bytes";
    bool const has_control = std::any_of(secret.begin(), secret.end(), [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
    if (secret.find('\0') != std::string_view::npos) return "the secret holds U+0000 (NUL)";
    if (has_control) return "the secret holds a control character, or more than one line";
    // RFC 7617, 2.1: clients could not send it.
    if (is_password && !text::is_utf8(secret)) return "the password is not text in UTF-8";
    return {};
}

// All that is there, up to one byte more than a secret may have; a line end at its end is left out.
std::string read_text(std::istream& in) {
    std::string out(longest_secret + 3, '\0');
    in.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(in.gcount()));
    if (!out.empty() && out.back() == '\n') out.pop_back();
    if (!out.empty() && out.back() == '\r') out.pop_back();
    return out;
}

} // namespace

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

std::optional<std::string> read_secret(std::istream& in, std::ostream& err, secrets::Kind kind) {
    std::string secret;
    {
        HiddenInput const hidden;
        if (hidden.is_active()) err << "secret, then Enter and Ctrl-D: " << std::flush;
        secret = read_text(in);
        if (hidden.is_active()) err << '\n';
    }
    auto const problem = problem_of(secret, kind);
    if (problem.empty()) return secret;
    config::wipe(secret);
    err << problem << '\n';
    return std::nullopt;
}

} // namespace sallyport::commands
