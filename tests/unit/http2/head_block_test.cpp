// The lines of one header block: cookie crumbs, and the copy that a stream keeps.
#include "gateway/http2/head_block.h"

#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace head_block_test {

using namespace header_blocks;
using http2::HpackError;

namespace {

// The lines by their records alone.
std::vector<std::string> lines_of(http2::StoredHead const& stored) {
    std::vector<std::string> lines;
    char const* at = stored.bytes;
    for (auto const& record : stored.records()) {
        lines.emplace_back(at, record.line_size());
        at += record.line_size();
    }
    CHECK(at == stored.bytes + stored.text_size);
    return lines;
}

std::vector<std::string> joined(std::string const& block) {
    Connection connection;
    REQUIRE(connection.decode(block) == HpackError::none);
    REQUIRE(connection.rule().empty());
    return lines_of(connection.stored);
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a new block has no line, and no reason to be refused") {
    http::HeadLimits const limits;
    std::vector<char> memory(http2::HeadBlock::memory_for(limits));
    http2::HeadBlock const block{memory, limits};
    CHECK(block.refused() == nullptr);
    CHECK(block.decoded_size() == 0);
    CHECK(block.records().empty());
    CHECK(block.text().empty());
    CHECK(block.stored_size() == 0);
}

TEST_CASE("an empty block is stored as one without lines") {
    Connection connection;
    REQUIRE(connection.decode("") == HpackError::none);
    CHECK(connection.stored.fields == 0);
    CHECK(connection.lines().empty());
}

TEST_CASE("a stored head has the lines, their ids, and no other bytes") {
    Connection connection;
    REQUIRE(connection.decode(bytes_of("8287") + plain("content-type", "a/b") + plain("x", ""))
            == HpackError::none);
    CHECK(connection.lines() == ":method: GET\r\n:scheme: https\r\ncontent-type: a/b\r\nx: \r\n");
    auto const records = connection.stored.records();
    REQUIRE(records.size() == 4);
    CHECK(records[0].pseudo == http2::PseudoField::method);
    CHECK(records[1].pseudo == http2::PseudoField::scheme);
    CHECK(records[2].pseudo == http2::PseudoField::none);
    CHECK(records[2].id == http::FieldId::content_type);
    CHECK(records[3].id == http::FieldId::unknown);
    CHECK(records[3].value_size == 0);
    CHECK(connection.stored.refused == nullptr);
}

TEST_CASE("what stands before the first refused line is stored, with the reason") {
    Connection connection;
    REQUIRE(connection.decode("\x82" + plain("a b", "") + plain("c", "d")) == HpackError::none);
    CHECK(connection.lines() == ":method: GET\r\n");
    REQUIRE(connection.stored.refused != nullptr);
    CHECK(connection.stored.refused->rule == "field_name_not_token");
}

TEST_CASE("cookie crumbs become one line") {
    CHECK(joined(plain("cookie", "a=1")) == Lines{"cookie: a=1\r\n"});
    CHECK(joined(plain("cookie", "a=1") + plain("cookie", "b=2") + plain("cookie", "c=3"))
          == Lines{"cookie: a=1; b=2; c=3\r\n"});
    CHECK(joined(plain("x", "1") + plain("cookie", "a=1") + plain("y", "2") + plain("cookie", "b=2")
                 + plain("z", "3"))
          == Lines{"x: 1\r\n", "cookie: a=1; b=2\r\n", "y: 2\r\n", "z: 3\r\n"});
    CHECK(joined(plain("cookie", "") + plain("cookie", "b=2") + plain("cookie", ""))
          == Lines{"cookie: b=2\r\n"});
    CHECK(joined(plain("cookie", "a=1") + plain("cookie", "") + plain("cookie", "b=2"))
          == Lines{"cookie: a=1; b=2\r\n"});
    CHECK(joined(plain("cookie", "") + plain("cookie", "")) == Lines{"cookie: \r\n"});
    CHECK(joined(plain("cookie", "")) == Lines{"cookie: \r\n"});
    // Another field with the same id stays by itself.
    CHECK(joined(plain("cookie2", "v") + plain("cookie", "a") + plain("cookie2", "w"))
          == Lines{"cookie2: v\r\n", "cookie: a\r\n", "cookie2: w\r\n"});
    // The ids of the others stay theirs.
    Connection connection;
    REQUIRE(connection.decode(plain("cookie", "a") + plain("accept-encoding", "gzip")
                              + plain("cookie", "b") + plain("host", "c"))
            == HpackError::none);
    auto const records = connection.stored.records();
    REQUIRE(records.size() == 3);
    CHECK(records[0].id == http::FieldId::cookie);
    CHECK(records[1].id == http::FieldId::accept_encoding);
    CHECK(records[2].id == http::FieldId::host);
}

TEST_CASE("crumbs that are too long as one line are refused as one") {
    auto const rule_of = [](std::size_t size) {
        Connection connection;
        connection.limits.line = 8192;
        REQUIRE(connection.decode(plain("cookie", std::string(4000, 'a')) + plain("x", "y")
                                  + plain("cookie", std::string(size, 'b')))
                == HpackError::none);
        CHECK(connection.stored.records()[0].value_size
              == (connection.rule().empty() ? 4000 + 2 + size : 4000));
        return connection.rule();
    };
    // "cookie: ", the values, and "; " between them: 8,192 bytes.
    CHECK(rule_of(8192 - 8 - 4000 - 2).empty());
    CHECK(rule_of(8192 - 8 - 4000 - 2 + 1) == "line_too_long");
}

} // namespace head_block_test
