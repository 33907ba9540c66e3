// A cache of tokens that were verified, by a keyed tag of the whole Authorization field.
#pragma once

#include "gateway/pipeline/identity.h"
#include "gateway/pipeline/known_callers.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// What has verified a token: the configuration of an API, and the keys that it has had then. Both
/// numbers are unique in the process.
struct VerifiedBy {
    std::uint64_t verifier = 0;
    std::uint64_t keys = 0;

    friend bool operator==(VerifiedBy, VerifiedBy) = default;
};
/// A number that no other verifier and no other set of keys has.
[[nodiscard]] std::uint64_t next_verifier_number() noexcept;

/// Clients send the same token with every request until it expires. An entry holds no secret: the
/// tag of the field under a random key of this process, and the caller. Only tokens that are right
/// are stored, each for what has verified it, so that it is not found any more once that has
/// changed. One per worker.
class KnownTokens {
public:
    using TimePoint = std::chrono::system_clock::time_point;

    KnownTokens();

    /// The caller of the field; null: it is not known, or it has expired at `now`.
    [[nodiscard]] std::shared_ptr<Identity const> find(VerifiedBy by, std::string_view field,
                                                       TimePoint now) const noexcept;

    /// Stores a caller until its token expires. It replaces one that has expired, else the one of
    /// its places that expires first.
    void remember(VerifiedBy by, std::string_view field, std::shared_ptr<Identity const> caller,
                  TimePoint until, TimePoint now) noexcept;

    static constexpr std::size_t places = 4; // for a tag
    static constexpr std::size_t groups = 1024;

private:
    struct Known {
        SipTag tag{};
        VerifiedBy by;
        TimePoint until; // the epoch: there is none
        std::shared_ptr<Identity const> caller;
    };

    SipKey key_;
    std::vector<std::array<Known, places>> known_;
};

} // namespace sallyport::pipeline
