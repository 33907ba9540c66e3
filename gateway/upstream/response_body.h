// The body of an upstream's answer, taken out of whatever framing it has.
#pragma once

#include "gateway/http/body.h"
#include "gateway/net/executor.h"

#include <boost/asio/error.hpp>

#include <cstdint>
#include <string_view>
#include <variant>

namespace sallyport::upstream {

class ResponseBody {
public:
    explicit ResponseBody(http::BodyFraming const& framing) : kind_{framing.kind} {
        switch (framing.kind) {
        case http::BodyFraming::Kind::none: complete_ = true; break;
        case http::BodyFraming::Kind::length:
            reader_.emplace<http::LengthReader>(framing.length);
            break;
        case http::BodyFraming::Kind::chunked:
            reader_.emplace<http::ChunkedReader>(UINT64_MAX, http::Sender::upstream);
            break;
        case http::BodyFraming::Kind::until_close: break;
        }
    }

    http::BodyStep step(std::string_view bytes) noexcept {
        http::BodyStep step;
        if (auto* const by_length = std::get_if<http::LengthReader>(&reader_)) {
            step = by_length->step(bytes);
        } else if (auto* const by_chunks = std::get_if<http::ChunkedReader>(&reader_)) {
            step = by_chunks->step(bytes);
        } else if (kind_ == http::BodyFraming::Kind::until_close) {
            step = {bytes.size(), bytes, false, nullptr};
        }
        if (step.complete) complete_ = true;
        return step;
    }

    /// RFC 9112, 6.3, rule 8: only a body without a length may end with the connection, and only
    /// where the connection ended in order.
    bool ends_with(net::Error error) noexcept {
        if (kind_ != http::BodyFraming::Kind::until_close || error != net::asio::error::eof)
            return false;
        complete_ = true;
        return true;
    }

    bool is_complete() const noexcept { return complete_; }

    /// Whether a larger buffer saves system calls.
    bool wants_room() const noexcept {
        auto const* const by_length = std::get_if<http::LengthReader>(&reader_);
        return by_length == nullptr || by_length->left() > 16 * 1024;
    }

private:
    http::BodyFraming::Kind kind_;
    bool complete_ = false;
    std::variant<std::monostate, http::LengthReader, http::ChunkedReader> reader_;
};

} // namespace sallyport::upstream
