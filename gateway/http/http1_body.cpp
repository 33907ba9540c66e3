// HTTP/1.1 towards a client: request bodies, part by part as they arrive (RFC 9112, 6).
#include "gateway/http/http1.h"

#include "gateway/http/rules.h"

#include <algorithm>
#include <cstring>

namespace sallyport::http {

namespace {

constexpr std::size_t least_useful_room = 2 * 1024;
constexpr std::size_t least_part = 4 * 1024; // if more of it has arrived

} // namespace

BodyStep Http1::step_body(std::string_view bytes, std::uint64_t limit) noexcept {
    BodyStep step;
    if (auto* const by_length = std::get_if<LengthReader>(&body_)) {
        step = by_length->step(bytes);
    } else if (auto* const chunks = std::get_if<ChunkedReader>(&body_)) {
        step = chunks->step(bytes);
    } else if (has_switched()) {
        step = {bytes.size(), bytes, false, nullptr};
    }
    body_bytes_ += step.payload.size();
    // A chunk that announces too much is refused before it arrives.
    auto const* const by_chunks = std::get_if<ChunkedReader>(&body_);
    auto const size = by_chunks == nullptr ? body_bytes_ : by_chunks->payload_size();
    if (step.refused == nullptr && size > limit) step.refused = &rules::body_too_large.client;
    return step;
}

// Small chunks are joined: a part for each would take the turns of other connections.
BodyStep Http1::take_payload(Input& unread, std::uint64_t limit) noexcept {
    BodyStep whole;
    std::size_t begin = 0; // of the payload in its buffer
    while (!unread.is_empty()) {
        auto const step = step_body(unread.bytes(), limit);
        auto const at = unread.begin
                        + static_cast<std::size_t>(
                            step.payload.empty() ? 0 : step.payload.data() - unread.bytes().data());
        unread.begin += step.consumed;
        whole.consumed += step.consumed;
        whole.complete = step.complete;
        whole.refused = step.refused;
        if (whole.payload.empty()) begin = at;
        auto const end = begin + whole.payload.size();
        if (end != at && !step.payload.empty())
            std::memmove(unread.buffer.data() + end, step.payload.data(), step.payload.size());
        whole.payload = {unread.buffer.data() + begin, whole.payload.size() + step.payload.size()};
        bool const wants_more = step.consumed != 0 && !step.complete && step.refused == nullptr
                                && whole.payload.size() < least_part;
        if (!wants_more) break;
    }
    bytes_in_ += whole.consumed;
    return whole;
}

Http1::Input& Http1::prepare_input(Gather gather) {
    auto const* const by_length = std::get_if<LengthReader>(&body_);
    bool const fits =
        by_length != nullptr && by_length->left() <= input_.bytes().size() + input_.room();
    if (!parts_.buffer) {
        if (fits && (gather != Gather::parts || input_.room() >= least_useful_room)) {
            return input_;
        }
        if (by_length == nullptr && input_.room() >= least_useful_room) return input_;
        parts_.buffer = buffers_.take(part_size());
    }
    if (parts_.is_empty()) parts_.begin = parts_.end = 0;
    if (waits_for_rest(input_, gather)) {
        // The bytes that arrived with the head: the rest of the body is read behind them.
        auto const bytes = input_.bytes();
        std::memcpy(parts_.buffer.data() + parts_.end, bytes.data(), bytes.size());
        parts_.end += bytes.size();
        input_.begin = input_.end;
    }
    return parts_;
}

// Whether the received bytes of the body are held back until the rest has arrived.
bool Http1::waits_for_rest(Input const& unread, Gather gather) const noexcept {
    auto const* const by_length = std::get_if<LengthReader>(&body_);
    if (gather == Gather::parts || by_length == nullptr) return false;
    auto const size = unread.bytes().size();
    if (size >= by_length->left()) return false;
    bool const fits_behind_head = &unread == &input_ && by_length->left() <= size + unread.room();
    return fits_behind_head
           || (gather == Gather::whole_if_small && by_length->left() <= part_size());
}

// The next part of the bytes that have arrived. Empty: more must be read.
std::optional<BodyPart> Http1::take_part(std::uint64_t limit, Gather gather) {
    if (body_complete_) return BodyPart{.bytes = {}, .complete = true, .refused = {}, .error = {}};
    for (;;) {
        Input& unread = input_.is_empty() ? parts_ : input_;
        if (unread.is_empty() || waits_for_rest(unread, gather)) return std::nullopt;
        auto const step = take_payload(unread, limit);
        if (step.refused != nullptr) {
            keep_alive_ = KeepAlive::no;
            return BodyPart{.bytes = {}, .complete = false, .refused = step.refused, .error = {}};
        }
        if (step.complete) {
            body_complete_ = true;
            read_deadline_.disarm();
        }
        if (step.complete || !step.payload.empty())
            return BodyPart{
                .bytes = step.payload, .complete = step.complete, .refused = {}, .error = {}};
        if (step.consumed == 0) return std::nullopt;
    }
}

net::Task<BodyPart> Http1::read_body(std::uint64_t limit, Gather gather) {
    if (auto const part = take_part(limit, gather)) return net::Task<BodyPart>::ended(*part);
    return read_part(limit, gather);
}

net::Task<BodyPart> Http1::read_part(std::uint64_t limit, Gather gather) {
    for (;;) {
        auto const now = net::Clock::now();
        if (!has_switched())
            read_deadline_.arm_at(std::min({now + limits_->body_idle, body_due(now), drain_end_}));
        if (auto const error = co_await read_more(prepare_input(gather))) {
            if (has_switched() && error == net::asio::error::eof) {
                body_complete_ = true;
                co_return BodyPart{.bytes = {}, .complete = true, .refused = {}, .error = {}};
            }
            keep_alive_ = KeepAlive::no;
            bool const late = read_deadline_.has_expired();
            read_deadline_.disarm();
            co_return BodyPart{.bytes = {},
                               .complete = false,
                               .refused = {},
                               .error = late ? net::Error{net::asio::error::timed_out} : error};
        }
        if (auto const part = take_part(limit, gather)) {
            // Until the next read nothing is expected from the client: the deadline would end the
            // write to it.
            read_deadline_.disarm();
            co_return *part;
        }
    }
}

net::Clock::time_point Http1::body_due(net::Clock::time_point now) {
    // Gathered bytes have arrived, even if no step has taken them yet.
    auto const came = body_bytes_ + (input_.is_empty() ? parts_ : input_).bytes().size();
    return pace_.due(now, came, *limits_);
}

void Http1::stop_reading_body() noexcept {
    keep_alive_ = KeepAlive::no;
    stream_.interrupt();
}

} // namespace sallyport::http
