// Keeps the tokens of upstreams as their files are, without a reload of the configuration.
#pragma once

#include "config/types.h"
#include "gateway/lifecycle/file_watch.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/upstream/renewed_secret.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

/// "Bearer TOKEN", the value of a field (RFC 6750, 2.1).
[[nodiscard]] config::Secret bearer_authorization(std::string_view token);
/// The same; nothing: it is no bearer token.
[[nodiscard]] std::optional<config::Secret> checked_bearer_authorization(std::string_view token);

/// The value of Authorization with the token of a file, or why there is none: nothing of its
/// content.
struct LoadedToken {
    std::optional<config::Secret> authorization;
    std::string problem;
};
/// The token stands alone in the file, of at most 8 KiB; line feeds at its end do not count.
[[nodiscard]] LoadedToken load_token(std::string const& path);

/// On the control loop. A file that vanishes, or holds no token, leaves the token in force.
class TokenWatch {
public:
    struct Listener {
        /// The upstream has another token from now on.
        std::function<void(std::string const& upstream, std::string const& file)> on_token;
        std::function<void(std::string const& upstream, std::string const& file,
                           std::string const& problem)>
            on_problem;
    };
    TokenWatch(net::asio::io_context& control, Listener listener);

    /// The upstreams of a snapshot without a token, as no file had one: it cannot be adopted.
    struct Missing {
        std::string upstream;
        std::string file;
        std::string problem;
    };
    [[nodiscard]] static std::vector<Missing> missing_of(Snapshot const& snapshot);

    /// Watches the files of this snapshot from now on, and those of no other. They are read once
    /// more: one may have changed since the snapshot was loaded.
    void adopt(Snapshot const& snapshot);

    void stop() { watch_.stop(); }

private:
    struct Token {
        std::string of; // the upstream's name
        std::string file;
        std::shared_ptr<upstream::ReplacedSecret> secret;
        std::string problem; // that was reported last; empty: none since the last token
    };

    [[nodiscard]] std::vector<std::string> files() const;
    void read_again();
    void renew(Token& token, LoadedToken loaded);

    Listener listener_;
    std::vector<Token> tokens_;
    FileWatch watch_;
};

} // namespace sallyport::lifecycle
