// Keeps the list of denied secrets as its file is, without a reload of the configuration.
#pragma once

#include "config/config.h"
#include "gateway/lifecycle/file_watch.h"
#include "gateway/pipeline/denied_secrets.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace sallyport::lifecycle {

/// A list, or why it could not be read.
struct LoadedDenied {
    std::shared_ptr<pipeline::DeniedSecrets const> list;
    std::string problem;
};
[[nodiscard]] LoadedDenied load_denied(std::string const& path);

/// On the control loop. A file that cannot be read, or has a line that is no digest, leaves the
/// list in force.
class DeniedWatch {
public:
    using List = std::shared_ptr<pipeline::DeniedSecrets const>;
    struct Listener {
        std::function<void(List)> on_list; // null: none is configured any more
        std::function<void(std::string const& problem)> on_problem;
    };
    DeniedWatch(net::asio::io_context& control, Listener listener);

    /// What a configuration asks for, read.
    struct Prepared {
        std::string path; // empty: none
        LoadedDenied loaded;
        std::chrono::system_clock::time_point began;
    };
    [[nodiscard]] static Prepared prepare(config::Config const& config);
    /// Whether a list with a problem may be adopted: the one in force, of the same file, stays.
    /// Else the configuration cannot be adopted.
    [[nodiscard]] bool has_list_of(std::string const& path) const {
        return !path.empty() && path == path_;
    }
    /// Passes the list on, or its problem, and watches its file from now on.
    void adopt(Prepared prepared);

    void stop() { watch_.stop(); }

private:
    void read_again();

    Listener listener_;
    std::string path_;
    FileWatch watch_;
};

} // namespace sallyport::lifecycle
