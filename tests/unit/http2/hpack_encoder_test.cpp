// Heads of responses as header blocks: their bytes, and what a decoder finds in them.
#include "gateway/http2/hpack_encoder.h"

#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpack_encoder_test {

using namespace header_blocks;

namespace {

struct Response {
    unsigned status = 200;
    std::vector<std::string_view> kept;
    std::vector<http::AddedField> added;
    std::optional<std::uint64_t> length;

    std::string block() const {
        http::OutgoingHead head;
        head.status = status;
        head.reason = "Never Written";
        head.kept = kept;
        head.added = added;
        head.length = length;
        head.has_body = true;
        std::vector<char> memory(http2::most_block_size(head));
        auto const size = http2::encode_head(head, memory.data());
        REQUIRE(size <= memory.size());
        return {memory.data(), size};
    }
    // As a decoder finds them.
    std::string lines() const {
        Connection connection;
        connection.limits.head = std::size_t{1} << 17;
        connection.limits.line = std::size_t{1} << 17;
        REQUIRE(connection.decode(block()) == http2::HpackError::none);
        CHECK(connection.rule().empty());
        CHECK(connection.decoder.table().entries() == 0);
        return connection.text;
    }
};

} // namespace

TEST_CASE("a status is an index where it has one") {
    for (auto const& [status, hexadecimal] : std::vector<std::pair<unsigned, std::string>>{
             {200, "88"},
             {204, "89"},
             {206, "8a"},
             {304, "8b"},
             {400, "8c"},
             {404, "8d"},
             {500, "8e"},
             {201, "08 03 323031"},
             {302, "08 03 333032"},
             {431, "08 03 343331"},
             {503, "08 03 353033"},
             {599, "08 03 353939"},
             {100, "08 03 313030"},
             {103, "08 03 313033"},
         }) {
        INFO(status);
        Response response;
        response.status = status;
        CHECK(response.block() == bytes_of(hexadecimal));
        CHECK(response.lines() == ":status: " + std::to_string(status) + "\r\n");
    }
}

TEST_CASE("names that are static are an index, others a text in small letters") {
    Response response;
    response.kept = {"Content-Type: text/plain\r\nX-Trace-Id: Ab C\r\n", "Accept-Ranges:none\r\n"};
    response.added = {{"Date", "now"}};
    response.length = 1234;
    CHECK(response.block()
          == bytes_of("88 0f10 0a") + "text/plain" + bytes_of("00 0a") + "x-trace-id"
                 + bytes_of("04") + "Ab C" + bytes_of("0f03 04") + "none" + bytes_of("0f12 03")
                 + "now" + bytes_of("0f0d 04") + "1234");
    CHECK(response.lines()
          == ":status: 200\r\ncontent-type: text/plain\r\nx-trace-id: Ab C\r\n"
             "accept-ranges: none\r\ndate: now\r\ncontent-length: 1234\r\n");
}

TEST_CASE("secrets are never indexed") {
    Response response;
    response.kept = {"Set-Cookie: a=b; Secure\r\nSet-Cookie: c=d\r\n"};
    CHECK(response.block() == bytes_of("88 1f28 0b") + "a=b; Secure" + bytes_of("1f28 03") + "c=d");
    Response others;
    others.added = {{"Authorization", "x"}, {"Proxy-Authorization", "y"}, {"Location", "z"}};
    CHECK(others.block() == bytes_of("88 1f08 01 78 1f22 01 79 0f1f 01 7a"));
}

TEST_CASE("values lose the white space around them, and nothing else") {
    Response response;
    response.kept = {"a:\r\nb: \r\nc:\t x \t\r\nd: x\ty: z\r\ne: \xC3\xA4\r\n"};
    CHECK(response.lines()
          == ":status: 200\r\na: \r\nb: \r\nc: x\r\nd: x\ty: z\r\ne: \xC3\xA4\r\n");
}

TEST_CASE("every capital becomes a small letter, and no other character changes") {
    std::string const name =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~0123";
    std::string const lower =
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~0123";
    for (std::size_t size = 1; size <= name.size(); ++size) {
        auto const line = name.substr(0, size) + ": v\r\n";
        Response response;
        response.kept = {line};
        CHECK(response.lines() == ":status: 200\r\n" + lower.substr(0, size) + ": v\r\n");
    }
}

TEST_CASE("fields of any length fit into the bound") {
    for (auto const name_size :
         std::vector<std::size_t>{1, 16, 126, 127, 128, 254, 255, 300, 20'000}) {
        for (auto const value_size :
             std::vector<std::size_t>{0, 1, 126, 127, 128, 254, 255, 256, 16'510, 16'511}) {
            INFO(name_size << " " << value_size);
            std::string const name(name_size, 'N');
            std::string const value(value_size, 'v');
            auto const line = name + ":" + value + "\r\n";
            Response response;
            response.kept = {line};
            response.length = UINT64_MAX;
            auto const expected = ":status: 200\r\n" + std::string(name_size, 'n') + ": " + value
                                  + "\r\ncontent-length: 18446744073709551615\r\n";
            CHECK(response.lines() == expected);
            response.kept = {};
            response.added = {{name, value}};
            CHECK(response.lines() == expected);
        }
    }
    // Many short ones.
    std::string lines;
    std::string expected = ":status: 503\r\n";
    for (int i = 0; i < 200; ++i) {
        lines += "x:y\r\n";
        expected += "x: y\r\n";
    }
    Response response;
    response.status = 503;
    response.kept = {lines};
    Connection connection;
    connection.limits.fields = 256;
    REQUIRE(connection.decode(response.block()) == http2::HpackError::none);
    CHECK(connection.text == expected);
}

TEST_CASE("trailers are a block of fields alone") {
    auto const block_of = [](std::string_view lines) {
        std::vector<char> memory(http2::most_block_size(lines));
        auto const size = http2::encode_trailers(lines, memory.data());
        REQUIRE(size <= memory.size());
        return std::string{memory.data(), size};
    };
    CHECK(block_of("").empty());
    Connection connection;
    REQUIRE(connection.decode(block_of("X-Sum: 1\r\nETag:\"a\" \r\ngrpc-status:0\r\n"))
            == http2::HpackError::none);
    CHECK(connection.text == "x-sum: 1\r\netag: \"a\"\r\ngrpc-status: 0\r\n");
    // 8 KiB of the shortest lines.
    std::string many;
    while (many.size() < 8 * 1024)
        many += "a:\r\n";
    CHECK(block_of(many).size() == many.size() / 4 * 4);
}

} // namespace hpack_encoder_test
