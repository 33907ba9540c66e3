// A bounded copy of an answer's body, taken while it passes: for the log, and for checks against
// the contract.
#include "gateway/serve/response_copy.h"

#include "gateway/http/content_coding.h"
#include "gateway/http/media_type.h"
#include "gateway/observe/redact.h"

#include <algorithm>
#include <cstring>

namespace sallyport::serve {

namespace {

using config::BodyLogging;

/// A share of the answers, picked by the exchange's random identifier.
bool is_sampled(pipeline::RequestId const& id, double share) {
    if (share >= 1.0) return true;
    std::uint32_t number = 0;
    for (char const c : id.text().substr(0, 6)) {
        number = number * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return static_cast<double>(number) < share * static_cast<double>(1U << 24U);
}

} // namespace

ResponseCopy::ResponseCopy(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot)
    : exchange_{exchange}, snapshot_{snapshot} {
    auto const& bodies = snapshot.config.access_log.bodies;
    logs_ = bodies.responses != BodyLogging::none;
    auto const& checks = exchange.api->responses;
    checks_ = checks.level == contract::Level::report && exchange.operation != nullptr
              && is_sampled(exchange.request_id, checks.sample);
    if (logs_) limit_ = static_cast<std::size_t>(bodies.limit.bytes);
    if (checks_)
        limit_ = std::max(limit_, static_cast<std::size_t>(snapshot.config.limits.body.bytes));
}

bool ResponseCopy::may_log() const {
    auto const mode = snapshot_.config.access_log.bodies.responses;
    return mode == BodyLogging::all
           || (mode == BodyLogging::errors
               && (exchange_.response.status >= 400
                   || exchange_.outcome.reason != pipeline::Reason::none));
}

void ResponseCopy::see(std::string_view bytes) {
    if (!coding_) {
        // The head's views end with the forwarding: what finish() needs of it is taken now.
        coding_ = http::ContentCoding::identity;
        knows_coding_ = http::parse_content_coding(exchange_.response.fields, *coding_) == nullptr;
    }
    if (bytes.empty()) return;
    seen_ += bytes.size();
    // One byte more than the limit is never kept: what was cut is logged as a number only.
    if (seen_ > limit_) return;
    if (!copy_) {
        copy_ = exchange_.services.loop.buffers().take(bytes.size());
    } else {
        copy_.grow(std::max(size_ + bytes.size(), copy_.capacity()), size_);
    }
    std::memcpy(copy_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
}

/// The body without its content coding; empty where it cannot be had whole within the limit.
std::string_view ResponseCopy::decode() {
    if (seen_ > limit_ || size_ == 0 || !knows_coding_) return {};
    if (*coding_ == http::ContentCoding::identity) return copy_.view(size_);

    http::ContentDecoder decoder{*coding_, {.size = limit_}};
    decoded_ = exchange_.services.loop.buffers().take(limit_ + 1);
    std::string_view input = copy_.view(size_);
    std::size_t produced = 0;
    while (!input.empty() && produced <= limit_) {
        auto const step = decoder.step(input, decoded_.span().subspan(produced));
        if (step.refused != nullptr || (step.consumed == 0 && step.produced == 0)) return {};
        input.remove_prefix(step.consumed);
        produced += step.produced;
    }
    if (produced > limit_ || decoder.finish() != nullptr) return {};
    return decoded_.view(produced);
}

void ResponseCopy::check(std::string_view body) {
    auto const* const schema = exchange_.operation->response_schema(exchange_.response.status);
    if (schema == nullptr || body.empty()) return;
    // A secret that the contract does not know goes out under a name that says what it is.
    contract::UndeclaredSearch secrets;
    secrets.is_wanted = [this](std::string_view name) { return snapshot_.redaction.has(name); };
    auto const& report = exchange_.services.validator.validate(
        *schema, body, exchange_.conditions(), exchange_.api->levels, &secrets);
    auto& kept = exchange_.outcome.violations;
    auto const of_request = kept.size();
    kept.insert(kept.end(), report.reported.begin(), report.reported.end());
    for (std::string& pointer : secrets.pointers) {
        contract::Violation violation;
        violation.rule = "undeclared_secret";
        violation.level = contract::Level::report;
        violation.message = pointer + " is not declared, and named like a secret";
        violation.pointer = std::move(pointer);
        kept.push_back(std::move(violation));
    }
    exchange_.outcome.response_violations = kept.size() - of_request;
}

void ResponseCopy::finish() {
    if (!wanted() || exchange_.upstream.status == 0) return;
    bool const is_whole = exchange_.outcome.reason == pipeline::Reason::none;
    auto const body = is_whole ? decode() : std::string_view{};
    if (checks_) check(body);
    if (!logs_ || !may_log() || seen_ == 0) return;
    if (body.empty()) {
        observe::bytes_only(seen_, exchange_.response_body_log);
    } else {
        observe::redact_json(
            body, snapshot_.redaction,
            static_cast<std::size_t>(snapshot_.config.access_log.bodies.limit.bytes),
            exchange_.response_body_log);
    }
}

} // namespace sallyport::serve
