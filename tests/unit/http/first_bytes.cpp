// Classification of the first bytes of a connection to a TLS port.
#include "gateway/http/first_bytes.h"

#include <catch2/catch.hpp>

#include <string>

namespace first_bytes {

using namespace sallyport::http;
using namespace std::string_view_literals;

namespace {

// The result for bytes that arrive one by one: the first one that ends the wait.
FirstBytes judge_by_and_by(std::string_view bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        auto const judged = judge_first_bytes(bytes.substr(0, size));
        if (judged != FirstBytes::unfinished) return judged;
    }
    return judge_first_bytes(bytes);
}

} // namespace

TEST_CASE("bytes that cannot begin a request are something else, in any pieces") {
    for (auto const bytes : {
             "\x16\x03\x01\x02\x00\x01"sv,  // a ClientHello
             "\x15\x03\x01\x00\x02"sv,      // an alert
             "\x80\x2e\x01\x03\x01"sv,      // SSL 2
             "SSH-2.0-OpenSSH_9.2\r\n"sv,   // a letter, a digit
             "get / HTTP/1.1\r\n"sv,        // methods are case-sensitive (RFC 9110, 9.1)
             "GET\t/ HTTP/1.1\r\n"sv,
             "GET  / HTTP/1.1\r\n"sv,
             "GET \r\n"sv,
             "GET index.html HTTP/1.1\r\n"sv,
             " GET / HTTP/1.1\r\n"sv,
             " / HTTP/1.1\r\n"sv,
             "\r\nGET / HTTP/1.1\r\n"sv,
             "EHLO example.com\r\n"sv,
             "\0"sv,
             "GET\0/ HTTP/1.1"sv,
             "[ET / HTTP/1.1"sv, // behind Z
             "@ET / HTTP/1.1"sv, // before A
             "ABCDEFGHIJKLMNOP / HTTP/1.1\r\n"sv, // 16 letters
         }) {
        CAPTURE(std::string{bytes});
        CHECK(judge_first_bytes(bytes) == FirstBytes::other);
        CHECK(judge_by_and_by(bytes) == FirstBytes::other);
    }
    // Without an end it is not a method either.
    CHECK(judge_first_bytes("ABCDEFGHIJKLMNOP") == FirstBytes::other);
}

TEST_CASE("a method, a space and the beginning of a target are a request") {
    for (auto const bytes : {"GET / HTTP/1.1\r\n"sv, "OPTIONS * HTTP/1.1\r\n"sv,
                             "GET http://localhost/ HTTP/1.1\r\n"sv, "VERSION-CONTROL /"sv,
                             "A /"sv, "ZZ /"sv, "ABCDEFGHIJKLMNO /"sv}) {
        CAPTURE(std::string{bytes});
        CHECK(judge_first_bytes(bytes) == FirstBytes::request);
        CHECK(judge_by_and_by(bytes) == FirstBytes::request);
    }
}

TEST_CASE("the beginning of a request is unfinished") {
    for (auto const bytes : {""sv, "G"sv, "GET"sv, "GET "sv, "VERSION-CONTROL"sv,
                             "VERSION-CONTROL "sv, "ABCDEFGHIJKLMNO"sv}) {
        CAPTURE(std::string{bytes});
        CHECK(judge_first_bytes(bytes) == FirstBytes::unfinished);
    }
}

} // namespace first_bytes
