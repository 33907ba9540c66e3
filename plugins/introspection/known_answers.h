// What issuers have said of tokens: kept by a worker across snapshots, under a keyed tag.
#pragma once

#include "config/types.h"
#include "gateway/pipeline/known_callers.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sallyport::plugins {

/// How long an API uses answers.
struct AnswerTimes {
    std::chrono::milliseconds positive{}; // before the issuer is asked again; never beyond `exp`
    std::chrono::milliseconds negative{}; // the same, of a token that is not active now
    std::chrono::milliseconds keep{};     // beyond `positive`, while the issuer cannot be asked
};

/// An answer with its times, by the wall clock. The text holds claims of the token, not the token.
struct KnownAnswer {
    using TimePoint = std::chrono::system_clock::time_point;

    std::shared_ptr<config::Secret const> text; // null: the token is not active
    bool is_in_time = false;                    // it is active, and its times allow it
    TimePoint asked;
    TimePoint expires = TimePoint::max(); // its `exp`, without the leeway
    TimePoint pause{}; // until then the issuer is not asked again, because it has just failed

    [[nodiscard]] bool is_active() const noexcept { return text != nullptr; }
    /// Until when it is used; the issuer is asked again from then on.
    [[nodiscard]] TimePoint until(AnswerTimes const& times) const noexcept;
    /// Until when it may be used without the issuer.
    [[nodiscard]] TimePoint last(AnswerTimes const& times) const noexcept;
};

/// Of one worker, for one issuer. Bounded: places for active tokens and for others apart, so that
/// random tokens displace no active one; a new one replaces, of its few places, what ends first.
class KnownAnswers {
public:
    using TimePoint = KnownAnswer::TimePoint;

    KnownAnswers();

    /// Null: there is none. It may have ended. Valid until the next call.
    [[nodiscard]] KnownAnswer* find(std::string_view token) noexcept;
    /// Whether the issuer has called the token active when it was last asked, however long ago.
    [[nodiscard]] bool was_active(std::string_view token) noexcept;
    /// Instead of what is known of the token. `last`: from then on it may be forgotten. A text that
    /// has no room any more is not kept.
    void keep(std::string_view token, KnownAnswer answer, TimePoint last, TimePoint now) noexcept;

    /// All texts, in bytes.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    static constexpr std::size_t places = 4; // for a tag
    static constexpr std::size_t groups = 1024;
    static constexpr std::size_t most_bytes = std::size_t{8} * 1024 * 1024;

private:
    struct Place {
        pipeline::SipTag tag{};
        KnownAnswer answer;
        TimePoint last;
    };
    using Places = std::vector<std::array<Place, places>>;

    static Place* find(Places& all, pipeline::SipTag const& tag) noexcept;
    void clear(Place& place) noexcept;
    void clear_ended(TimePoint now) noexcept;

    pipeline::SipKey key_;
    Places active_;
    Places others_;
    std::size_t size_ = 0;
};

} // namespace sallyport::plugins
