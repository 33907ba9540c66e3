// Validates a body of items while it is streamed.
#include "gateway/serve/body_items.h"

#include "gateway/pipeline/body_report.h"

#include <cstdint>
#include <utility>

namespace sallyport::serve {

using contract::MoreFollow;

BodyItems::BodyItems(pipeline::Exchange& exchange)
    : exchange_{exchange}, items_{*exchange.decision.body.type},
      buffer_{exchange.services.loop.buffers(), exchange.services.buffered_bodies,
              exchange.caller()} {}

pipeline::BodyFilter::Passed BodyItems::take(http::BodyPart const& part) {
    buffer_.drop(std::exchange(passed_, 0));
    if (buffer_.append(part.bytes) == net::Granted::no) return {{}, over_budget(buffer_)};
    auto& decision = exchange_.decision;
    auto const more = part.complete ? MoreFollow::no : MoreFollow::yes;
    passed_ =
        items_.take(buffer_.view(), more,
                    {exchange_.services.validator, decision.conditions(), decision.api->levels});
    // The end of the body is not known where an offset is.
    auto denial = pipeline::judge_report(items_.report(), SIZE_MAX, decision.body.type->syntax,
                                         decision.findings);
    return {buffer_.view().substr(0, passed_), std::move(denial)};
}

} // namespace sallyport::serve
