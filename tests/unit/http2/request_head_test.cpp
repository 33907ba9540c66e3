// Requests as HTTP/2 sends them: pseudo fields, the policy of HTTP/1 behind them, and trailers.
#include "gateway/http2/request_head.h"

#include "gateway/http/forward_fields.h"
#include "gateway/http/head.h"
#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace request_head_test {

using namespace header_blocks;
using http2::HpackError;
using http2::StreamEnd;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
    Connection connection;
    http::RequestHead head;

    explicit Request(Fields const& fields, StreamEnd end = StreamEnd::ended,
                     http::HeadLimits const& limits = {}) {
        std::string block;
        for (auto const& [name, value] : fields)
            block += plain(name, value);
        connection.limits = limits;
        REQUIRE(connection.decode(block) == HpackError::none);
        connection.refused =
            http2::read_request_head(connection.stored, end, connection.limits, head);
    }
    std::string rule() const { return connection.rule(); }
};

// The four pseudo fields, one of them with another value.
Fields request(std::string const& name = ":method", std::string const& value = "GET") {
    Fields fields{{":method", "GET"},
                  {":scheme", "https"},
                  {":authority", "api.example.com"},
                  {":path", "/orders/1?limit=2"}};
    for (auto& field : fields)
        if (field.first == name) field.second = value;
    return fields;
}

Fields operator+(Fields fields, Fields const& others) {
    fields.insert(fields.end(), others.begin(), others.end());
    return fields;
}

Fields without(std::string const& name) {
    Fields fields;
    for (auto const& field : request())
        if (field.first != name) fields.push_back(field);
    return fields;
}

std::string rule_of(Fields const& fields, StreamEnd end = StreamEnd::ended) {
    return Request(fields, end).rule();
}

} // namespace

TEST_CASE("a request has a method, a scheme, a path and a host") {
    CHECK(rule_of({}) == "missing_pseudo_field");
    CHECK(rule_of(without(":method")) == "missing_pseudo_field");
    CHECK(rule_of(without(":scheme")) == "missing_pseudo_field");
    CHECK(rule_of(without(":path")) == "missing_pseudo_field");
    CHECK(rule_of(without(":authority")) == "missing_host");
    CHECK(rule_of(without(":authority") + Fields{{"host", "a"}}).empty());
    CHECK(rule_of(request()).empty());
}

TEST_CASE("pseudo fields are known, given once, and in front of the others") {
    for (auto const& field : request()) {
        INFO(field.first);
        CHECK(rule_of(request() + Fields{field}) == "repeated_pseudo_field");
        CHECK(rule_of(without(field.first) + Fields{{"x", "y"}, field})
              == "pseudo_field_behind_field");
    }
    CHECK(rule_of(request() + Fields{{":protocol", "websocket"}}) == "unknown_pseudo_field");
    CHECK(rule_of(request() + Fields{{":status", "200"}}) == "unknown_pseudo_field");
    CHECK(rule_of(request() + Fields{{":x", ""}}) == "unknown_pseudo_field");
}

TEST_CASE("CONNECT with a protocol is a GET whose Upgrade it is") {
    auto fields = request(":method", "CONNECT");
    fields.insert(fields.begin(), {":protocol", "websocket"});
    for (auto const end : {StreamEnd::open, StreamEnd::ended}) {
        Request const asked{fields, end};
        CHECK(asked.rule().empty());
        CHECK(asked.head.method == http::Method::get);
        CHECK(asked.head.method_text == "GET");
        CHECK(asked.head.fields.find(http::FieldId::upgrade) == "websocket");
        CHECK(asked.head.framing.body.kind == http::BodyFraming::Kind::none);
    }
    CHECK(rule_of(fields + Fields{{":protocol", "websocket"}}) == "repeated_pseudo_field");
    CHECK(rule_of(fields + Fields{{"upgrade", "websocket"}}) == "connection_specific_field");
    CHECK(rule_of(fields + Fields{{"content-length", "1"}}) == "content_length_is_not_body");
    std::erase_if(fields, [](auto const& field) { return field.first == ":path"; });
    CHECK(rule_of(fields) == "missing_pseudo_field");
}

TEST_CASE("CONNECT is refused, with and without what other methods need") {
    CHECK(rule_of({{":method", "CONNECT"}, {":authority", "a:443"}}) == "connect_method");
    CHECK(rule_of(request(":method", "CONNECT")) == "connect_method");
}

TEST_CASE("a method is a token, and a scheme https") {
    CHECK(rule_of(request(":method", "")) == "method_not_token");
    CHECK(rule_of(request(":method", "GE T")) == "method_not_token");
    CHECK(rule_of(request(":method", "GET/1")) == "method_not_token");
    CHECK(rule_of(request(":method", "get")).empty());
    CHECK(rule_of(request(":scheme", "http")) == "scheme_not_https");
    CHECK(rule_of(request(":scheme", "")) == "scheme_not_https");
    CHECK(rule_of(request(":scheme", "httpss")) == "scheme_not_https");
    CHECK(rule_of(request(":scheme", "HTTPS")).empty());
}

TEST_CASE("a path is one in origin form") {
    CHECK(rule_of(request(":path", "")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "*")) == "asterisk_form");
    CHECK(rule_of(request(":path", "orders")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "https://api.example.com/")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "https://user@api.example.com/")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "?a")) == "path_not_origin_form");
    // In a request line of HTTP/1 it would end the target.
    CHECK(rule_of(request(":path", "/a?b HTTP/1.1")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "/a?b\tc")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "/a b")) == "path_not_origin_form");
    CHECK(rule_of(request(":path", "/a/../b")) == "dot_segment");
    CHECK(rule_of(request(":path", "/a//b")) == "empty_segment");
    CHECK(rule_of(request(":path", "/a;b")) == "semicolon");
    CHECK(rule_of(request(":path", "/a#b")) == "fragment");
    CHECK(rule_of(request(":path", "/a%2fb")) == "encoded_slash");
    CHECK(rule_of(request(":path", "/?")).empty());
    http::HeadLimits limits;
    limits.path.semicolons = http::Spelling::noted;
    Request const noted{request(":path", "/a;b"), StreamEnd::ended, limits};
    CHECK(noted.rule().empty());
    CHECK(noted.head.target.has_semicolon);
}

TEST_CASE("the authority is a host, and that of Host") {
    CHECK(rule_of(request(":authority", "")) == "malformed_target_authority");
    CHECK(rule_of(request(":authority", "user@a")) == "malformed_target_authority");
    CHECK(rule_of(request(":authority", "a:x")) == "malformed_target_authority");
    CHECK(rule_of(request(":authority", "a/b")) == "malformed_target_authority");
    CHECK(rule_of(request(":authority", "[::1]:443")).empty());
    CHECK(rule_of(request() + Fields{{"host", "other.example.com"}}) == "target_is_not_host");
    CHECK(rule_of(request() + Fields{{"host", "api.example.com:444"}}) == "target_is_not_host");
    CHECK(rule_of(request() + Fields{{"host", ""}}) == "malformed_host");
    CHECK(rule_of(request() + Fields{{"host", "api.example.com"}, {"host", "api.example.com"}})
          == "repeated_host");
    CHECK(rule_of(request() + Fields{{"host", "API.example.com"}}).empty());
}

TEST_CASE("the rules of single fields hold, in the order of the fields") {
    CHECK(rule_of(request() + Fields{{"a", "b"}, {"Content-Type", "a/b"}})
          == "capital_in_field_name");
    CHECK(rule_of(request() + Fields{{"a", "b\r\nc: d"}}) == "bare_carriage_return");
    CHECK(rule_of(request() + Fields{{"a", "b "}}) == "white_space_around_value");
    CHECK(rule_of(request() + Fields{{"transfer-encoding", "chunked"}})
          == "connection_specific_field");
    CHECK(rule_of(request() + Fields{{"connection", "close"}}) == "connection_specific_field");
    CHECK(rule_of(request() + Fields{{"te", "gzip"}}) == "te_not_trailers");
    CHECK(rule_of(request() + Fields{{"te", "trailers"}}).empty());
    CHECK(rule_of(request() + Fields{{"x_request_id", "a"}}) == "shadowing_field_name");
    CHECK(rule_of(request(":method", "G T") + Fields{{"A", "b"}}) == "method_not_token");
    CHECK(rule_of(Fields{{"A", "b"}} + request(":method", "G T")) == "capital_in_field_name");
}

TEST_CASE("what HTTP/1 refuses of a request's fields is refused") {
    CHECK(rule_of(request() + Fields{{"content-type", "a/b"}, {"content-type", "a/b"}})
          == "repeated_content_type");
    CHECK(rule_of(request() + Fields{{"expect", "200-ok"}}) == "unknown_expectation");
    CHECK(rule_of(request(":method", "OPTIONS") + Fields{{"max-forwards", "x"}})
          == "malformed_max_forwards");
    CHECK(rule_of(request() + Fields{{"content-length", "x"}}, StreamEnd::open)
          == "malformed_content_length");
    CHECK(rule_of(request() + Fields{{"content-length", "1"}, {"content-length", "1"}},
                  StreamEnd::open)
          == "repeated_content_length");
}

TEST_CASE("a body ends with the stream, and is as long as Content-Length says") {
    using Kind = http::BodyFraming::Kind;
    auto const framing_of = [](Fields const& fields, StreamEnd end) {
        Request const read{request() + fields, end};
        CHECK(read.rule().empty());
        CHECK(read.head.framing.keep_alive == http::KeepAlive::yes);
        return read.head.framing;
    };
    CHECK(framing_of({}, StreamEnd::ended).body == http::BodyFraming{Kind::none, 0});
    CHECK(framing_of({{"content-length", "0"}}, StreamEnd::ended).body
          == http::BodyFraming{Kind::none, 0});
    CHECK(framing_of({{"content-length", "0"}}, StreamEnd::open).body
          == http::BodyFraming{Kind::none, 0});
    CHECK(framing_of({}, StreamEnd::open).body == http::BodyFraming{Kind::chunked, 0});
    CHECK(framing_of({{"content-length", "17"}}, StreamEnd::open).body
          == http::BodyFraming{Kind::length, 17});
    CHECK(rule_of(request() + Fields{{"content-length", "17"}}, StreamEnd::ended)
          == "content_length_is_not_body");
    CHECK(framing_of({{"expect", "100-continue"}}, StreamEnd::open).expect_continue
          == http::ExpectContinue::yes);
    CHECK(framing_of({{"expect", "100-continue"}}, StreamEnd::ended).expect_continue
          == http::ExpectContinue::no);
}

TEST_CASE("a head is that of HTTP/1 in all that others read") {
    Request const read{request(":method", "PUT")
                           + Fields{{"content-type", "application/json"},
                                    {"cookie", "a=1"},
                                    {"x-forwarded-for", "192.0.2.1"},
                                    {"accept", "*/*"},
                                    {"cookie", "b=2"},
                                    {"content-length", "2"}},
                       StreamEnd::open};
    auto const& head = read.head;
    REQUIRE(read.rule().empty());
    CHECK(head.method == http::Method::put);
    CHECK(head.method_text == "PUT");
    CHECK(head.raw_target == "/orders/1?limit=2");
    CHECK(head.target.path == "/orders/1");
    CHECK(head.target.query == "?limit=2");
    CHECK(head.host.text == "api.example.com");
    CHECK(head.host.host == "api.example.com");
    CHECK(!head.host.port);
    CHECK(head.protocol == http::Protocol::http_2);
    CHECK(http::name_of(head.protocol) == "HTTP/2.0");
    CHECK(http::version_of(head.protocol) == "2.0");
    CHECK(head.second_opinion == http::SecondOpinion::needless);
    CHECK(head.size == read.connection.stored.text_size);
    REQUIRE(head.fields.size() == 5);
    CHECK(head.fields.find(http::FieldId::content_type) == "application/json");
    CHECK(head.fields.find(http::FieldId::cookie) == "a=1; b=2");
    CHECK(head.fields.find("accept") == "*/*");
    CHECK_FALSE(head.fields.is_repeated(http::FieldId::cookie));
    CHECK_FALSE(head.fields.find(":method"));
    http::LineRuns runs;
    http::fields_to_forward(head, {http::Cookies::forward, http::Coding::kept, {}}, runs);
    std::string forwarded;
    for (auto const run : runs)
        forwarded += run;
    CHECK(forwarded == "content-type: application/json\r\ncookie: a=1; b=2\r\naccept: */*\r\n");
}

TEST_CASE("an unknown method is one like others") {
    Request const read{request(":method", "FROBNICATE")};
    CHECK(read.rule().empty());
    CHECK(read.head.method == http::Method::unknown);
    CHECK(read.head.method_text == "FROBNICATE");
}

TEST_CASE("a refused head has what stands before the error, for the log") {
    Request const read{request() + Fields{{"a", "b"}, {"A", "c"}, {"d", "e"}}};
    CHECK(read.rule() == "capital_in_field_name");
    CHECK(read.head.method_text == "GET");
    CHECK(read.head.raw_target == "/orders/1?limit=2");
    CHECK(read.head.fields.size() == 1);
    CHECK(read.head.protocol == http::Protocol::http_2);
}

TEST_CASE("trailers are checked, limited, and have no pseudo fields") {
    auto const rule_of_trailers = [](Fields const& fields) {
        std::string block;
        for (auto const& [name, value] : fields)
            block += plain(name, value);
        http::HeadLimits const limits;
        std::vector<char> memory(http2::HeadBlock::memory_for(limits));
        http2::HeadBlock head{memory, limits};
        http2::HpackDecoder decoder;
        REQUIRE(decoder.decode(block, head) == HpackError::none);
        auto const refused = http2::check_trailers(head);
        return std::string{refused == nullptr ? "" : refused->rule};
    };
    CHECK(rule_of_trailers({}).empty());
    CHECK(rule_of_trailers({{"checksum", "1"}}).empty());
    CHECK(rule_of_trailers({{":path", "/"}}) == "malformed_trailer");
    CHECK(rule_of_trailers({{"a", "b"}, {":x", "/"}}) == "malformed_trailer");
    CHECK(rule_of_trailers({{"A", "b"}}) == "malformed_trailer");
    CHECK(rule_of_trailers({{"a", "b\n"}}) == "malformed_trailer");
    CHECK(rule_of_trailers({{"a", std::string(8187, 'b')}}).empty());
    CHECK(rule_of_trailers({{"a", std::string(8188, 'b')}}) == "trailers_too_large");
    CHECK(rule_of_trailers({{"a", std::string(20'000, 'b')}}) == "trailers_too_large");
    CHECK(rule_of_trailers(Fields(101, {"a", "b"})) == "trailers_too_large");
}

} // namespace request_head_test
