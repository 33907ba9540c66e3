// A bounded copy of a response's body, taken while it is relayed.
#include "gateway/serve/response_copy.h"

#include "gateway/http/content_coding.h"

namespace sallyport::serve {

using pipeline::ResponseCheck;

void ResponseCopy::begin(http::ResponseHead const& head, std::size_t limit) {
    limit_ = limit;
    if (http::parse_content_coding(head.fields, coding_) != nullptr) {
        missing_ = ResponseCheck::coding;
    } else if (head.framing.declared_length.value_or(0) > limit_) {
        // No byte of it is copied needlessly.
        missing_ = ResponseCheck::too_large;
    }
}

void ResponseCopy::add(std::string_view bytes) {
    seen_ += bytes.size();
    if (bytes.empty() || missing_ != ResponseCheck::none) return;
    // A truncated copy is useless, because it may look complete.
    if (seen_ > limit_) return give_up(ResponseCheck::too_large);
    if (!coded_) {
        coded_.emplace(services_.loop.buffers(), services_.buffered_bodies, net::Claim::first_half,
                       limit_);
    }
    if (coded_->append(bytes) == net::Granted::no) give_up(ResponseCheck::budget);
}

void ResponseCopy::give_up(ResponseCheck why) {
    missing_ = why;
    release();
}

ResponseCheck ResponseCopy::finish() {
    if (missing_ != ResponseCheck::none) return missing_;
    if (coding_ != http::ContentCoding::identity) {
        decode();
    } else if (coded_) {
        body_ = coded_->view();
    }
    return missing_;
}

void ResponseCopy::decode() {
    http::ContentDecoder decoder{coding_, {.size = limit_}};
    decoded_.emplace(services_.loop.buffers(), services_.buffered_bodies, net::Claim::first_half,
                     limit_);
    auto [granted, refused] = decoded_->decode(decoder, coded_ ? coded_->view() : "");
    if (refused == nullptr) refused = decoder.finish();
    if (granted == net::Granted::no) return give_up(ResponseCheck::budget);
    if (refused != nullptr) {
        bool const is_too_large = refused->kind == http::RefusalKind::body_too_large;
        return give_up(is_too_large ? ResponseCheck::too_large : ResponseCheck::coding);
    }
    body_ = decoded_->view();
}

void ResponseCopy::release() {
    body_ = {};
    coded_.reset();
    decoded_.reset();
}

} // namespace sallyport::serve
