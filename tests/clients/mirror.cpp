// Reflects requests, and compares them with the corpus.
#include "tests/clients/mirror.h"

#include "tests/clients/corpus.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <utility>

namespace sallyport::test {
namespace {

bool is_business_of_library(std::string_view name) {
    for (auto const* own : {"Host", "Content-Length", "Transfer-Encoding", "Connection"})
        if (equal_ignoring_case(name, own)) return true;
    return false;
}

// Others would be invented by the driver.
bool is_added_by_libraries(std::string_view name) {
    for (auto const* added : {"Accept", "Accept-Encoding", "Accept-Language", "User-Agent",
                              "Sec-Fetch-Mode", "Content-Type"})
        if (equal_ignoring_case(name, added)) return true;
    return false;
}

std::vector<std::string> values_of(Fields const& fields, std::string_view name) {
    std::vector<std::string> values;
    for (auto const& field : fields)
        if (equal_ignoring_case(field.name, name)) values.push_back(field.value);
    return values;
}

} // namespace

Mirror::Mirror() {
    RecordingUpstream::Options options;
    options.certificate = certificates().server;
    options.start = RecordingUpstream::Start::after_head; // for clients that expect 100
    upstream_ = std::make_unique<RecordingUpstream>(
        [this](UpstreamExchange& exchange) { reflect(exchange); }, options);
}

void Mirror::reflect(UpstreamExchange& exchange) {
    if (exchange.request.fields.count("Expect") != 0)
        exchange.send("HTTP/1.1 100 Continue\r\n\r\n");
    exchange.read_body();
    bool const has_no_body = exchange.request.method == "HEAD";
    {
        std::lock_guard const guard{lock_};
        requests_.push_back(exchange.request);
    }
    exchange.send(has_no_body ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
                              : response_text("{}"));
}

std::vector<Request> Mirror::take(std::size_t count) {
    std::lock_guard const guard{lock_};
    if (requests_.size() != count)
        throw std::runtime_error("at the mirror there are " + std::to_string(requests_.size())
                                 + " requests instead of " + std::to_string(count));
    return std::exchange(requests_, {});
}

void check_said(Case const& one, Request const& sent, std::uint16_t mirror_port) {
    auto const wanted = one.request();
    REQUIRE(wanted);
    INFO("sent: " << sent.head);
    CHECK(sent.method == wanted->method);
    CHECK(sent.target == wanted->target);
    CHECK(sent.body == wanted->body);
    // An additional length of 0 changes nothing (RFC 9112, 6.3).
    if (wanted->framing != Framing::none || !sent.body.empty())
        CHECK(sent.framing == wanted->framing);
    if (wanted->fields.one("Host") != sent.fields.one("Host"))
        CHECK(sent.fields.one("Host") == host_of(mirror_port));
    for (auto const& field : wanted->fields) {
        INFO(field.name << ": " << field.value);
        if (!is_business_of_library(field.name))
            CHECK(values_of(sent.fields, field.name) == values_of(wanted->fields, field.name));
    }
    for (auto const& field : sent.fields) {
        INFO("added: " << field.name << ": " << field.value);
        bool const is_said = wanted->fields.count(field.name) != 0;
        CHECK((is_said || is_business_of_library(field.name) || is_added_by_libraries(field.name)));
    }
}

} // namespace sallyport::test
