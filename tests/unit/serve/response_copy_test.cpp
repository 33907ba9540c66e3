// Copies of responses, and the buffers of growing bodies: only memory that the budget has granted,
// and no byte copied again and again.
#include "gateway/serve/response_copy.h"

#include <catch2/catch.hpp>

#include <string>

namespace response_copy_test {

using namespace sallyport;
using namespace sallyport::serve;
using pipeline::ResponseCheck;

namespace {

constexpr std::size_t mebibyte = 1UL << 20;

struct Worker {
    explicit Worker(std::size_t limit) : budget{limit} {}

    net::Budget budget;
    net::Loop loop;
    pipeline::Services services{loop, budget, {}};
};

http::ResponseHead head_of(std::string const& text) {
    http::ResponseHead head;
    REQUIRE(http::parse_response_head(text, {}, http::ResponseTo::other, head) == nullptr);
    return head;
}

std::string const plain = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

} // namespace

TEST_CASE("a body that arrives in many parts is copied a few times, and never grows far beyond its "
          "limit") {
    Worker worker{1024 * mebibyte};
    constexpr std::size_t limit = 60 * mebibyte;
    BodyBuffer buffer{worker.loop.buffers(), worker.budget, net::Claim::whole, limit};
    std::string const part(16 * 1024, 'x');
    char const* place = nullptr;
    std::size_t moves = 0;
    while (buffer.size() < limit) {
        REQUIRE(buffer.append(part) == net::Granted::yes);
        if (buffer.view().data() != place) ++moves;
        place = buffer.view().data();
        REQUIRE(moves < 24);
        REQUIRE(worker.budget.used() <= limit);
    }
    buffer.release();
    CHECK(worker.budget.used() == 0);
}

TEST_CASE("the reservation for a body follows the received bytes") {
    Worker worker{64 * mebibyte};
    BodyBuffer buffer{worker.loop.buffers(), worker.budget, 1};
    std::string const part(3'000, 'x');
    while (buffer.size() + part.size() <= net::Buffers::sizes.back()) {
        REQUIRE(buffer.append(part) == net::Granted::yes);
        REQUIRE(worker.budget.used() == net::Buffers::rounded(buffer.size()));
    }
    while (buffer.size() < 8 * mebibyte) {
        REQUIRE(buffer.append(part) == net::Granted::yes);
        REQUIRE(worker.budget.used() <= buffer.size() + buffer.size() / 2 + part.size());
    }
}

TEST_CASE("a copy uses at most half of the budget, and releases what it discards") {
    Worker worker{2 * mebibyte};
    ResponseCopy copy{worker.services};
    copy.begin(head_of(plain), 8 * mebibyte);
    copy.add(std::string(mebibyte, 'x'));
    CHECK(worker.budget.used() == mebibyte);
    copy.add("y");
    CHECK(worker.budget.used() == 0);
    copy.add("z");
    CHECK(copy.seen() == mebibyte + 2);
    CHECK(copy.finish() == ResponseCheck::budget);
    CHECK(copy.body().empty());
}

TEST_CASE("a copy that would become too large is discarded at once, or not begun") {
    Worker worker{64 * mebibyte};
    ResponseCopy copy{worker.services};
    copy.begin(head_of(plain), 10);
    copy.add("0123456789");
    CHECK(worker.budget.used() != 0);
    copy.add("0");
    CHECK(worker.budget.used() == 0);
    CHECK(copy.finish() == ResponseCheck::too_large);

    ResponseCopy declared{worker.services};
    declared.begin(head_of("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"), 10);
    declared.add("0");
    CHECK(worker.budget.used() == 0);
    CHECK(declared.finish() == ResponseCheck::too_large);
}

TEST_CASE("a small coded response is decoded in little memory, whatever the limit") {
    // gzip of `{"n":1}`
    constexpr unsigned char coded[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                       0x03, 0xab, 0x56, 0xca, 0x53, 0xb2, 0x32, 0xac, 0x05,
                                       0x00, 0x7e, 0x3b, 0x4b, 0xd4, 0x07, 0x00, 0x00, 0x00};
    std::string_view const bytes{reinterpret_cast<char const*>(coded), sizeof coded};
    std::string const head =
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    Worker worker{64 * mebibyte};
    ResponseCopy copy{worker.services};
    copy.begin(head_of(head), 32 * mebibyte);
    copy.add(bytes);
    CHECK(copy.finish() == ResponseCheck::none);
    CHECK(copy.body() == R"({"n":1})");
    CHECK(worker.budget.used() <= 64 * 1024);
    copy.release();
    CHECK(worker.budget.used() == 0);

    // No room for the output.
    Worker narrow{2 * 4 * 1024};
    ResponseCopy refused{narrow.services};
    refused.begin(head_of(head), 32 * mebibyte);
    refused.add(bytes);
    CHECK(refused.finish() == ResponseCheck::budget);
    CHECK(narrow.budget.used() == 0);
}

} // namespace response_copy_test
