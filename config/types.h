// The units and small types that the configuration is written in: durations, sizes, secrets, files,
// places.
#pragma once

#include "config/yaml.h"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::config {

using Duration = std::chrono::milliseconds;

/// A size in bytes; a plain number of anything else does not convert to it.
struct ByteCount {
    std::uint64_t bytes = 0;

    friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
};

[[nodiscard]] constexpr ByteCount kibibytes(std::uint64_t n) {
    return {n * 1024};
}
[[nodiscard]] constexpr ByteCount mebibytes(std::uint64_t n) {
    return {n * 1024 * 1024};
}
[[nodiscard]] constexpr ByteCount gibibytes(std::uint64_t n) {
    return {n * 1024 * 1024 * 1024};
}

/// A secret value: prints nowhere, converts to nothing, moves but is not copied, and is wiped when
/// it goes.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string_view value);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(Secret const&) = delete;
    Secret& operator=(Secret const&) = delete;
    ~Secret() { wipe(); }

    /// Valid while this object is neither moved nor destroyed. Each call is a place to look at
    /// twice.
    [[nodiscard]] std::string_view reveal() const { return {bytes_.get(), size_}; }
    [[nodiscard]] bool is_empty() const { return size_ == 0; }

private:
    void wipe() noexcept;

    /// Not a std::string: that keeps short values inside itself, where a move leaves them behind.
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
};

/// Overwrites a text whose content was secret, also its unused capacity.
void wipe(std::string& text) noexcept;

/// Where something was written, for problems that are found only later (a file that is no key, an
/// operation that the contract does not have).
struct Origin {
    yaml::Mark mark;
    std::string path; // `listeners[0].tls.certificates[0]`
};

[[nodiscard]] yaml::Problem problem_at(Origin const& origin, std::string what,
                                       std::string hint = {},
                                       yaml::Severity severity = yaml::Severity::error);

/// A value that cannot be judged, because it holds references that were not expanded.
struct LeftOpen {
    Origin origin;
    std::string references; // `${env:NAME}`: where it is, nothing of what it is
};

/// A file that the configuration names. Relative paths are made relative to the folder of the
/// configuration file.
struct File {
    std::string path;
    Origin origin;
};

} // namespace sallyport::config
