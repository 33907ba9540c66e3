// What issuers have said of tokens: see known_answers.h.
#include "plugins/introspection/known_answers.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sallyport::plugins {

using pipeline::SipTag;

namespace {

std::size_t size_of(KnownAnswer const& answer) noexcept {
    return answer.text == nullptr ? 0 : answer.text->reveal().size();
}

} // namespace

KnownAnswer::TimePoint KnownAnswer::until(AnswerTimes const& times) const noexcept {
    if (!is_in_time) return asked + times.negative;
    return std::max(std::min(asked + times.positive, expires), std::min(pause, last(times)));
}

KnownAnswer::TimePoint KnownAnswer::last(AnswerTimes const& times) const noexcept {
    if (!is_in_time) return asked + times.negative;
    return std::min(asked + times.positive + times.keep, expires);
}

KnownAnswers::KnownAnswers() : active_(groups), others_(groups) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), sizeof key_) != 1)
        throw std::runtime_error{"OpenSSL has no random numbers"};
}

KnownAnswers::Place* KnownAnswers::find(Places& all, SipTag const& tag) noexcept {
    for (auto& place : all[tag[0] % groups]) {
        bool const is_same = ((place.tag[0] ^ tag[0]) | (place.tag[1] ^ tag[1])) == 0;
        if (is_same) return &place;
    }
    return nullptr;
}

KnownAnswer* KnownAnswers::find(std::string_view token) noexcept {
    auto const tag = pipeline::siphash(key_, token);
    for (auto* const all : {&active_, &others_})
        if (auto* const place = find(*all, tag)) return &place->answer;
    return nullptr;
}

bool KnownAnswers::was_active(std::string_view token) noexcept {
    return find(active_, pipeline::siphash(key_, token)) != nullptr;
}

void KnownAnswers::clear(Place& place) noexcept {
    size_ -= size_of(place.answer);
    place = {};
}

void KnownAnswers::clear_ended(TimePoint now) noexcept {
    for (auto& group : active_)
        for (auto& place : group)
            if (now >= place.last) clear(place);
}

void KnownAnswers::keep(std::string_view token, KnownAnswer answer, TimePoint last,
                        TimePoint now) noexcept {
    auto const tag = pipeline::siphash(key_, token);
    for (auto* const all : {&active_, &others_})
        if (auto* const before = find(*all, tag)) clear(*before);
    auto const size = size_of(answer);
    if (size > most_bytes - size_) clear_ended(now);
    if (size > most_bytes - size_) return;
    auto& group = (answer.is_active() ? active_ : others_)[tag[0] % groups];
    auto const left = [now](Place const& one) { return std::max(one.last, now); };
    auto* const place =
        std::min_element(group.begin(), group.end(), [left](Place const& one, Place const& other) {
            return left(one) < left(other);
        });
    clear(*place);
    *place = {tag, std::move(answer), last};
    size_ += size;
}

} // namespace sallyport::plugins
