// The two clients, the comparisons, and the tables of what differs.
#include "tests/hostile/versions_stage.h"

#include "tests/hostile/wire_stage.h"
#include "tests/support/comparable.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace sallyport::test {
namespace {

constexpr std::array<std::string_view, 5> fields_of_connection{
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};

// RFC 9113, 8.2.2: a message with any of them is malformed; HTTP/1.1 drops or reads them.
constexpr OtherVerdict field_of_connection{
    400, "bad_request",
    "A header field is one of those that frame messages or manage connections in HTTP/1"};
// Likewise of TE: "MUST NOT contain any value other than "trailers"".
constexpr OtherVerdict other_te{400, "bad_request", "The TE field is not just trailers"};
// The same in trailers: it is about every field section. HTTP/1.1 drops them.
constexpr OtherVerdict trailer_of_connection{400, "bad_request", "A trailer field is malformed"};
constexpr OtherVerdict const* other_verdicts[]{&field_of_connection, &other_te,
                                               &trailer_of_connection};

bool any_form(Http2Form const&) {
    return true;
}

bool has_no_host(Http2Form const& form) {
    return !form.has("host");
}

bool has_trailers(Http2Form const& form) {
    return !form.trailers.empty();
}

bool has_empty_segment(Http2Form const& form) {
    return form.head.find(":path").value_or("").starts_with("//");
}

// The same verdict by another rule, because HTTP/2 has no lines: the detail of the problem body, in
// HTTP/1.1 and in HTTP/2. Everything else is the same.
struct OtherWords {
    std::string_view older;
    std::string_view newer;
    bool (*applies)(Http2Form const&) = any_form;
};

constexpr OtherWords other_words[]{
    // RFC 9113, 8.3.1: Host is `:authority`, ...
    {"The Host field is malformed", "The authority of the request target is malformed",
     has_no_host},
    {"The request target holds user information",
     "The authority of the request target is malformed"},
    // ... which is looked at behind `:path`, ...
    {"The authority of the request target is malformed",
     "The path holds two slashes in a row, which pass only where an API has empty_segments: pass",
     has_empty_segment},
    // ... which begins with a slash.
    {"The request target is neither a path nor an absolute http or https URI",
     "The path of a request over HTTP/2 does not begin with a slash, or holds white space"},
    // RFC 9113, 8.2.1: what ends or splits a line is a character of a name or a value.
    {"A line does not end in CR LF", "A control character stands in the request head"},
    {"The request line is malformed",
     "The value of a header field begins or ends with white space"},
    {"White space stands before the colon of a field", "The name of a header field is not a token"},
    // One text is for all that is wrong with trailers.
    {"A line of the chunked body does not end in CR LF", "A trailer field is malformed"},
    {"A header field's name differs from one that the gateway sets only in a sign such as an "
     "underscore",
     "A trailer field is malformed", has_trailers},
};

bool is_of_connection(std::string_view name, std::string_view value) {
    bool const is_named = std::find(fields_of_connection.begin(), fields_of_connection.end(), name)
                          != fields_of_connection.end();
    return is_named || (name == "te" && !equal_ignoring_case(value, "trailers"));
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
}

// For the output of a failure.
std::string shown(Http2Form const& form) {
    std::string text;
    for (auto const& field : form.head)
        text += field.name + ": " + field.value.substr(0, 200) + '\n';
    return text + '\n' + form.body.substr(0, 200);
}

// All in one write, as the other version has it: what is wrong at the end of a body is known before
// its beginning is forwarded.
std::string frames_of(Http2Form const& form, std::uint32_t stream) {
    bool const has_trailers = !form.trailers.empty();
    auto const end_if = [](bool last) { return last ? http2::flag::end_stream : 0; };
    bool const is_all = form.body.empty() && form.has_end && !has_trailers;
    auto frames = http2::headers(stream, http2::block_of(form.head),
                                 http2::flag::end_headers | end_if(is_all));
    if (!form.body.empty())
        frames += http2::data(stream, form.body, end_if(form.has_end && !has_trailers));
    if (has_trailers) frames += http2::headers(stream, http2::block_of(form.trailers));
    return frames;
}

std::string detail_of(Response const& response) {
    if (!response.body.starts_with('{')) return {};
    auto const problem = Json::parse(response.body);
    auto detail = problem.has("detail") ? problem.text("detail") : "";
    if (detail.ends_with('.')) detail.pop_back();
    return detail;
}

// RFC 9113, 8.1: over HTTP/2 trailers may follow a body with a length. Where they are announced,
// and the body is not read before it is forwarded, its length does not frame it at the upstream.
bool is_framed_otherwise(Http2Form const& form) {
    return form.head.count("trailer") != 0 && form.head.count("content-length") != 0
           && form.head.one(":path").starts_with("/odd/v1/streamed");
}

Request with_trailer_in_place_of_length(Request request, Http2Form const& form) {
    for (auto& field : request.fields)
        if (equal_ignoring_case(field.name, "Content-Length"))
            field = {"Trailer", form.head.one("trailer")};
    request.fields.push_back({"Transfer-Encoding", "chunked"});
    return request;
}

// Where a character ends or splits the request line of HTTP/1.1, that version may know less of it
// than HTTP/2, or more; an absolute target may have no path, where HTTP/2 has `/` (RFC
// 9113, 8.3.1); and CONNECT has none in HTTP/2 (8.5). Then the log has another path, or none.
bool has_other_path(Http2Form const& form) {
    auto const is_broken = [](std::string const& text) {
        return std::any_of(text.begin(), text.end(),
                           [](char c) { return is_control(c) || c == '\t'; });
    };
    bool const is_absolute = form.has("host"); // :authority is of the target
    return !form.has_path || form.method() == "CONNECT" || is_broken(form.method())
           || is_broken(form.head.find(":path").value_or(""))
           || (is_absolute && is_broken(form.head.find(":authority").value_or("")));
}

// Whether lines of difference() are about nothing else.
bool is_of_request_line(std::string_view text) {
    while (!text.empty()) {
        if (!text.starts_with("path: ") && !text.starts_with("method: ")) return false;
        text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
    }
    return true;
}

// In the problem body, whose length they change.
void replace_words(Response& response, std::string_view older, std::string_view newer) {
    auto& body = response.body;
    for (auto at = body.find(older); at != body.npos; at = body.find(older, at + newer.size()))
        body.replace(at, older.size(), newer);
    for (auto& field : response.fields)
        if (equal_ignoring_case(field.name, "Content-Length"))
            field.value = std::to_string(body.size());
}

std::string text_of(std::vector<Request> const& requests) {
    std::string text;
    for (auto const& request : requests)
        text += comparable(request) + "\n---\n";
    return text;
}

} // namespace

OtherVerdict const* other_verdict(Http2Form const& form) {
    // In the order of the fields, the first of which that is wrong decides. A control character is
    // wrong in both versions.
    for (auto const& [name, value] : form.head) {
        bool const is_wrong_anyway = std::any_of(name.begin(), name.end(), is_control)
                                     || std::any_of(value.begin(), value.end(), is_control);
        if (is_wrong_anyway) return nullptr;
        if (is_of_connection(name, value)) return name == "te" ? &other_te : &field_of_connection;
    }
    bool const has_trailer =
        std::any_of(form.trailers.begin(), form.trailers.end(),
                    [](Field const& field) { return is_of_connection(field.name, field.value); });
    return has_trailer ? &trailer_of_connection : nullptr;
}

VersionsStage::VersionsStage()
    : upstream_([this](UpstreamExchange& exchange) {
          {
              std::lock_guard const guard{lock_};
              arrived_.push_back(exchange.request);
          }
          exchange.send(echo_response(exchange.request));
      }),
      gateway_(
          [this] {
              auto configuration = wire_configuration(upstream_);
              // Each malformed request costs points, which many of these are.
              configuration.limits += "  http2: { patience: 1000000 }\n";
              return configuration;
          }(),
          wire_options()),
      next_(WireStage::names(Api::stream).at("next")) {}

void VersionsStage::run(WireCase const& wire_case) {
    if (!seen_.insert(wire_case.bytes).second) return;
    CAPTURE(wire_case.name, wire_case.place, name_of(wire_case.api));
    std::string_view rest = wire_case.bytes;
    for (auto const& expected : wire_case.expected) {
        if (expected.becomes == Becomes::awaited) ++left_out_[left_out::incomplete];
        bool const is_request =
            expected.becomes != Becomes::awaited && expected.becomes != Becomes::closed;
        // The request behind most others is one of many GETs: once is enough.
        if (!is_request || (rest == next_ && rest.size() != wire_case.bytes.size())) return;
        auto const reading = read_as_http2(rest, next_);
        if (!reading.form) {
            ++left_out_[reading.left_out];
            return;
        }
        compare(wire_case.place + " " + wire_case.name.substr(0, 200), rest.substr(0, reading.size),
                *reading.form);
        rest.remove_prefix(reading.size);
    }
}

void VersionsStage::run(std::string const& name, std::string_view stream) {
    // What is behind the body may have ended the connection.
    older_.reset();
    auto const reading = read_as_http2(stream, next_);
    if (!reading.form || !reading.form->has_end)
        ++left_out_[reading.form ? left_out::incomplete : reading.left_out];
    else
        compare(name, stream.substr(0, reading.size), *reading.form);
}

void VersionsStage::compare(std::string label, std::string_view bytes, Http2Form const& form) {
    CAPTURE(label);
    INFO("in HTTP/2:\n" << shown(form));
    pairs_.push_back({.label = std::move(label)});
    try {
        compare_outcomes(bytes, form);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
        older_.reset();
        newer_.reset();
    }
}

void VersionsStage::compare_outcomes(std::string_view bytes, Http2Form const& form) {
    auto const older = send_older(bytes, form.method());
    auto const newer = send_newer(form);
    auto const* const other = other_verdict(form);
    auto& pair = pairs_.back();
    pair.older = older.response.fields.one("X-Request-Id");
    pair.newer = newer.response.fields.one("X-Request-Id");
    pair.other = other;
    pair.has_other_path = has_other_path(form);
    if (other == nullptr) return compare_same(form, older, newer);
    used_.insert(other);
    CHECK(newer.response.status == other->status);
    CHECK(detail_of(newer.response) == other->detail);
    CHECK(newer.arrived.empty());
}

void VersionsStage::compare_same(Http2Form const& form, Outcome older, Outcome const& newer) {
    auto& expected = older.response;
    auto const detail = detail_of(expected);
    for (auto const& words : other_words)
        if (words.older == detail && words.applies(form)) {
            used_.insert(&words);
            replace_words(expected, words.older, words.newer);
            break;
        }
    CHECK(comparable(newer.response) == comparable(expected));
    CHECK(comparable_body(newer.response.body) == comparable_body(expected.body));
    if (is_framed_otherwise(form))
        for (auto& request : older.arrived)
            request = with_trailer_in_place_of_length(request, form);
    CHECK(text_of(newer.arrived) == text_of(older.arrived));
    for (auto const& request : newer.arrived)
        CHECK(request.fields.one("Via") == "2.0 sallyport");
}

VersionsStage::Outcome VersionsStage::send_older(std::string_view bytes,
                                                 std::string const& method) {
    if (!older_) older_ = std::make_unique<RawClient>(gateway_.port());
    // After an early refusal the connection may be closed while the client still sends.
    static_cast<void>(older_->try_send(bytes));
    Outcome outcome{older_->read_final_response(method), take_arrived()};
    if (outcome.response.fields.count("Connection") != 0) older_.reset();
    return outcome;
}

VersionsStage::Outcome VersionsStage::send_newer(Http2Form const& form) {
    if (!newer_) newer_ = std::make_unique<Http2Client>(gateway_.port());
    auto const stream = newer_->next_stream();
    newer_->send(frames_of(form, stream));
    auto const response = newer_->read_response(stream);
    if (!response.has_head)
        throw std::runtime_error("the stream was reset without a response, with the code "
                                 + std::to_string(response.reset.value_or(0)));
    if (!form.has_end) newer_->send(http2::reset(stream));
    return {response.message, take_arrived()};
}

std::vector<Request> VersionsStage::take_arrived() {
    std::lock_guard const guard{lock_};
    return std::exchange(arrived_, {});
}

void VersionsStage::finish() {
    newer_.reset();
    older_.reset();
    CHECK(gateway_.stop() == 0);
    CHECK(upstream_.protocol_errors() == std::vector<std::string>{});
    CHECK(take_arrived().empty());
    std::map<std::string, Json> lines;
    for (auto& line : gateway_.log())
        if (!line.text("request_id").empty()) lines[line.text("request_id")] = std::move(line);
    CHECK(lines.size() == 2 * pairs_.size());
    for (auto const& pair : pairs_) {
        CAPTURE(pair.label);
        auto const& newer = lines[pair.newer];
        CHECK(newer.text("protocol") == "HTTP/2.0");
        if (pair.other != nullptr) {
            CHECK(newer.text("status") == std::to_string(pair.other->status));
            CHECK(newer.text("reason") == pair.other->reason);
            continue;
        }
        auto const text = difference(lines[pair.older], newer);
        CHECK((pair.has_other_path && is_of_request_line(text) ? "" : text) == "");
    }
}

std::vector<std::string_view> VersionsStage::unused() const {
    std::vector<std::string_view> rows;
    for (auto const* const verdict : other_verdicts)
        if (used_.count(verdict) == 0) rows.push_back(verdict->detail);
    for (auto const& words : other_words)
        if (used_.count(&words) == 0) rows.push_back(words.older);
    return rows;
}

} // namespace sallyport::test
