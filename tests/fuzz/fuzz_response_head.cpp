// Fuzzes heads of responses: an accepted one must have the same meaning when it is rewritten. The
// first byte selects whether HEAD was requested.
#include "check.h"

#include "gateway/http/forward_fields.h"
#include "gateway/http/head.h"
#include "gateway/http/second_opinion.h"
#include "gateway/http/status.h"

#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

std::string write_again(ResponseHead const& head) {
    std::string text{sallyport::http::name_of(head.protocol)};
    text += ' ';
    text += std::to_string(head.status) + " " + std::string{head.reason} + "\r\n";
    for (auto const field : head.fields)
        text.append(field.name).append(": ").append(field.value).append("\r\n");
    return text + "\r\n";
}

void check_framing(ResponseHead const& head, ResponseTo request) {
    check(head.status >= 100 && head.status <= 599 && head.status != 101, "a status that can be");
    if (request == ResponseTo::head || is_always_without_body(head.status))
        check(head.framing.body.kind == BodyFraming::Kind::none, "no body");
    if (head.framing.body.kind == BodyFraming::Kind::until_close)
        check(head.framing.keep_alive == KeepAlive::no, "the connection ends with such a body");
}

void check_returned(ResponseHead const& head) {
    LineRuns runs;
    fields_to_return(head, runs);
    std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";
    for (auto const run : runs)
        text += run;
    text += "\r\n";
    Copy const copy{text};
    ResponseHead returned;
    HeadLimits const limits{1 << 20, 1 << 16, FieldTable::capacity};
    check(!parse_response_head(copy.view(), limits, ResponseTo::other, returned),
          "what is returned is valid");
    check(returned.framing.body.length == 5, "what is returned has our framing");
    check(!returned.fields.has(FieldId::connection), "no hop-by-hop field is returned");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto rest = sallyport::fuzz::view_of(data, size);
    auto const request =
        sallyport::fuzz::take_byte(rest) == 'H' ? ResponseTo::head : ResponseTo::other;
    Copy const input{rest};
    auto const bytes = input.view();
    ResponseHead head;
    if (auto const refused = parse_response_head(bytes, {}, request, head)) {
        check(refused->kind == RefusalKind::upstream_invalid, "the upstream's fault");
        return 0;
    }
    check(head.size == find_end_of_head(bytes, 0), "the end is where it was found");
    check(beast_agrees(bytes, head), "Beast agrees also where it is not asked");
    check_framing(head, request);
    ResponseHead again;
    Copy const written{write_again(head)};
    HeadLimits const limits{1 << 20, 1 << 16, FieldTable::capacity};
    check(!parse_response_head(written.view(), limits, request, again),
          "written again it is accepted");
    check(again.status == head.status && again.reason == head.reason, "the same status");
    check(again.framing.body == head.framing.body
              && again.framing.keep_alive == head.framing.keep_alive
              && again.framing.declared_length == head.framing.declared_length,
          "the same framing");
    check(again.fields.size() == head.fields.size(), "as many fields");
    check_returned(head);
    return 0;
}
