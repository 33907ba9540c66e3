// Fuzzes request heads. An accepted head must have the same meaning when it is rewritten, and the
// forwarded form must be a request with the same framing.
#include "check.h"

#include "gateway/http/characters.h"
#include "gateway/http/forward_fields.h"
#include "gateway/http/head.h"
#include "gateway/http/second_opinion.h"

#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

// The lines of a head as the plainest possible reader sees them.
void check_lines(std::string_view head) {
    for (std::size_t i = 0; i < head.size(); ++i) {
        char const c = head[i];
        if (c == '\n')
            check(i != 0 && head[i - 1] == '\r', "each LF follows a CR");
        else if (c == '\r')
            check(i + 1 < head.size() && head[i + 1] == '\n', "each CR has its LF");
        else
            check(is_of(value_character, c), "no control character");
    }
    check(head.ends_with("\r\n\r\n"), "an empty line at the end");
    check(head.find("\r\n\r\n") + 4 == head.size(), "and at no other place");
    check(head.find("\r\n ") == head.npos && head.find("\r\n\t") == head.npos, "no folding");
}

std::string write_again(RequestHead const& head) {
    std::string text;
    text.append(head.method_text).append(" ").append(head.raw_target);
    text.append(" ").append(sallyport::http::name_of(head.protocol)).append("\r\n");
    for (auto const field : head.fields)
        text.append(field.name).append(": ").append(field.value).append("\r\n");
    return text + "\r\n";
}

void check_same(RequestHead const& a, RequestHead const& b) {
    check(a.method == b.method && a.method_text == b.method_text, "the same method");
    check(a.raw_target == b.raw_target && a.target.path == b.target.path
              && a.target.query == b.target.query,
          "the same target");
    check(a.host.text == b.host.text, "the same host");
    check(a.framing.body == b.framing.body && a.framing.keep_alive == b.framing.keep_alive
              && a.framing.expect_continue == b.framing.expect_continue,
          "the same framing");
    check(a.fields.size() == b.fields.size(), "as many fields");
    for (std::size_t i = 0; i < a.fields.size(); ++i) {
        check(a.fields[i].id == b.fields[i].id && a.fields[i].name == b.fields[i].name
                  && a.fields[i].value == b.fields[i].value,
              "the same fields");
    }
}

// Forwards like a proxy: kept lines and a framing of its own.
void check_forwarded(RequestHead const& head) {
    LineRuns runs;
    fields_to_forward(head, {}, runs);
    std::string text = "POST " + std::string{head.target.path} + std::string{head.target.query};
    text += " HTTP/1.1\r\nHost: upstream\r\n";
    for (auto const run : runs)
        text += run;
    auto const& body = head.framing.body;
    if (body.kind == BodyFraming::Kind::length)
        text += "Content-Length: " + std::to_string(body.length) + "\r\n";
    if (body.kind == BodyFraming::Kind::chunked) text += "Transfer-Encoding: chunked\r\n";
    text += "\r\n";
    Copy const copy{text};
    RequestHead forwarded;
    HeadLimits const limits{1 << 20, 1 << 16, FieldTable::capacity};
    check(!parse_request_head(copy.view(), limits, forwarded), "what is forwarded is valid");
    check(forwarded.framing.body == body, "what is forwarded has the same framing");
    check(forwarded.size == text.size(), "what is forwarded is one head");
    for (auto const id : {FieldId::connection, FieldId::te, FieldId::upgrade, FieldId::expect,
                          FieldId::cookie, FieldId::authorization, FieldId::identity,
                          FieldId::x_forwarded_for, FieldId::method_override})
        check(!forwarded.fields.has(id), "what is forwarded holds no field that is dropped");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    auto const bytes = input.view();
    auto const end = find_end_of_head(bytes, 0);
    // In any pieces the end is at the same place.
    for (std::size_t seen = 0; seen <= bytes.size(); seen += 1 + bytes.size() / 16) {
        auto const early = find_end_of_head(bytes.substr(0, seen), 0);
        check(early == no_end || early == end, "an end that is found stays");
        if (early == no_end) check(find_end_of_head(bytes, seen) == end, "the end is found later");
    }
    RequestHead head;
    auto const refused = parse_request_head(bytes, {}, head);
    if (refused) {
        check(!refused->rule.empty() && !refused->detail.empty(), "a refusal says why");
        return 0;
    }
    check(head.size == end, "a head that is accepted ends where its end was found");
    check(beast_agrees(bytes, head), "Beast agrees also where it is not asked");
    auto text = bytes.substr(0, head.size);
    if (text.starts_with("\r\n")) text.remove_prefix(2);
    check_lines(text);
    check(head.fields.count(FieldId::host) == 1, "one Host");
    check(
        !(head.fields.has(FieldId::content_length) && head.fields.has(FieldId::transfer_encoding)),
        "one length");
    RequestHead alone;
    Copy const exact{bytes.substr(0, head.size)};
    check(!parse_request_head(exact.view(), {}, alone), "a head stands by itself");
    check_same(head, alone);
    RequestHead again;
    Copy const written{write_again(head)};
    HeadLimits const limits{1 << 20, 1 << 16, FieldTable::capacity};
    check(!parse_request_head(written.view(), limits, again), "written again it is accepted");
    check_same(head, again);
    check_forwarded(head);
    return 0;
}
