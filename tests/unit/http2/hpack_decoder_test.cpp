// Blocks that are refused, the dynamic table, and the limits of what is decoded.
#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace hpack_decoder_test {

using namespace header_blocks;
using http2::HpackError;
using http2::name_of;

namespace {

HpackError error_of(std::string const& block) {
    Connection connection;
    return connection.decode(block);
}

// An entry of `size` bytes as RFC 7541, 4.1 counts it.
std::string entry_of(std::size_t size, char fill = 'x') {
    return added("n", std::string(size - 1 - http2::DynamicTable::entry_overhead, fill));
}

} // namespace

TEST_CASE("a block that ends within a field is refused") {
    auto const block = std::string{"\x82"} + added("custom-key", "custom-value")
                       + bytes_of("4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")
                       + plain(std::string(200, 'n'), std::string(300, 'v')) + added(58, "curl");
    // Where one representation ends and the next begins.
    std::vector<std::size_t> ends{0};
    for (std::size_t size = 1; size <= block.size(); ++size) {
        Connection connection;
        auto const error = connection.decode(std::string_view{block}.substr(0, size));
        INFO(size);
        if (error == HpackError::none)
            ends.push_back(size);
        else
            CHECK(error == HpackError::incomplete);
    }
    CHECK(ends == std::vector<std::size_t>{0, 1, 26, 46, 552, 558});
}

TEST_CASE("integers are of 32 bits, in five octets behind the prefix at most") {
    // 2^32 - 1 is an integer, but no index: 127 + 0xffffff80.
    CHECK(error_of(bytes_of("ff 80ffffff 0f")) == HpackError::index);
    CHECK(error_of(bytes_of("ff 81ffffff 0f")) == HpackError::integer);
    CHECK(error_of(bytes_of("ff 80ffffff 10")) == HpackError::integer);
    CHECK(error_of(bytes_of("ff ffffffff 7f")) == HpackError::integer);
    // Zeros in front of it are bytes, too: 127 + 0 is no index, 63 + 0 neither.
    CHECK(error_of(bytes_of("ff 80808080 00")) == HpackError::index);
    CHECK(error_of(bytes_of("ff 80808080 8000")) == HpackError::integer);
    CHECK(error_of(bytes_of("ff 80808080 80")) == HpackError::incomplete);
    CHECK(error_of(bytes_of("ff 80808080")) == HpackError::incomplete);
    // The length of a string: 127 + 1 are not there.
    CHECK(error_of(bytes_of("00 7f01 61")) == HpackError::incomplete);
    CHECK(error_of(bytes_of("00 ffffffffffffff")) == HpackError::integer);
    // An index with a prefix of four bits: 15 + 0 is accept-charset.
    Connection connection;
    CHECK(connection.decode(bytes_of("0f 00 01 61")) == HpackError::none);
    CHECK(connection.text == "accept-charset: a\r\n");
    CHECK(connection.decode(bytes_of("0f 8000 01 61")) == HpackError::none);
    CHECK(connection.text == "accept-charset: a\r\n");
}

TEST_CASE("an index is that of an entry") {
    CHECK(error_of(bytes_of("80")) == HpackError::index);
    CHECK(error_of(bytes_of("be")) == HpackError::index); // 62
    CHECK(error_of(bytes_of("bd")) == HpackError::none);  // 61
    CHECK(error_of(bytes_of("7e 01 61")) == HpackError::index);
    CHECK(error_of(bytes_of("7d 01 61")) == HpackError::none);
    CHECK(error_of(bytes_of("0f 2f 01 61")) == HpackError::index);
    CHECK(error_of(bytes_of("1f 2f 01 61")) == HpackError::index);
    CHECK(error_of(bytes_of("0f 2e 01 61")) == HpackError::none);
    CHECK(error_of(added("n", "v") + indexed(62)) == HpackError::none);
    CHECK(error_of(added("n", "v") + indexed(63)) == HpackError::index);
}

TEST_CASE("the Huffman code of names and values is checked") {
    CHECK(error_of(bytes_of("00 81ff 0161")) == HpackError::huffman);
    CHECK(error_of(bytes_of("00 0161 81ff")) == HpackError::huffman);
    CHECK(error_of(bytes_of("00 0161 8118")) == HpackError::huffman);
    CHECK(error_of(bytes_of("00 0161 84ffffffff")) == HpackError::huffman);
    CHECK(error_of(bytes_of("00 0161 811f")) == HpackError::none);
    CHECK(error_of(bytes_of("00 0161 80")) == HpackError::none);
}

TEST_CASE("the size of the table changes in front of a block, twice at most") {
    CHECK(error_of(size_update(4096)) == HpackError::none);
    CHECK(error_of(size_update(0) + size_update(4096)) == HpackError::none);
    CHECK(error_of(size_update(0) + size_update(1) + size_update(2)) == HpackError::size_update);
    CHECK(error_of(size_update(4097)) == HpackError::size_update);
    CHECK(error_of("\x82" + size_update(0)) == HpackError::size_update);
    CHECK(error_of("\x82\x84" + size_update(4096) + "\x86") == HpackError::size_update);
    CHECK(error_of(bytes_of("3f ffffffffff 00")) == HpackError::integer);
    CHECK(error_of(bytes_of("3f")) == HpackError::incomplete);
    // Again before each block.
    Connection connection;
    CHECK(connection.decode(size_update(0) + size_update(100)) == HpackError::none);
    CHECK(connection.decode(size_update(0) + size_update(4096) + "\x82") == HpackError::none);
    CHECK(connection.text == ":method: GET\r\n");
}

TEST_CASE("each error has a name") {
    CHECK(name_of(HpackError::none) == "none");
    CHECK(name_of(HpackError::incomplete) == "incomplete");
    CHECK(name_of(HpackError::integer) == "integer");
    CHECK(name_of(HpackError::index) == "index");
    CHECK(name_of(HpackError::huffman) == "huffman");
    CHECK(name_of(HpackError::size_update) == "size_update");
    CHECK(name_of(HpackError::too_much_text) == "too_much_text");
}

TEST_CASE("the oldest entries make room for new ones") {
    Connection connection;
    auto const& table = connection.decoder.table();
    REQUIRE(connection.decode(entry_of(2048, 'a') + entry_of(2048, 'b')) == HpackError::none);
    CHECK(table.entries() == 2);
    CHECK(table.size() == 4096);
    REQUIRE(connection.decode(added("c", "")) == HpackError::none);
    CHECK(table.entries() == 2);
    CHECK(table.size() == 2048 + 33);
    REQUIRE(connection.decode(indexed(62) + indexed(63)) == HpackError::none);
    CHECK(connection.text == "c: \r\nn: " + std::string(2015, 'b') + "\r\n");
    // An entry as large as the table leaves no other.
    REQUIRE(connection.decode(entry_of(4096, 'd')) == HpackError::none);
    CHECK(table.entries() == 1);
    // A larger one is decoded, and empties it (RFC 7541, 4.4).
    REQUIRE(connection.decode(entry_of(4097, 'e')) == HpackError::none);
    CHECK(connection.text == "n: " + std::string(4064, 'e') + "\r\n");
    CHECK(table.entries() == 0);
    CHECK(table.size() == 0);
}

TEST_CASE("a smaller size evicts entries, and 0 all of them") {
    Connection connection;
    auto const& table = connection.decoder.table();
    REQUIRE(connection.decode(added("a", "1") + added("b", "2") + added("c", "3"))
            == HpackError::none);
    CHECK(table.size() == 3 * 34);
    REQUIRE(connection.decode(size_update(2 * 34)) == HpackError::none);
    CHECK(table.entries() == 2);
    REQUIRE(connection.decode(indexed(62) + indexed(63)) == HpackError::none);
    CHECK(connection.text == "c: 3\r\nb: 2\r\n");
    REQUIRE(connection.decode(size_update(2 * 34 - 1)) == HpackError::none);
    CHECK(table.entries() == 1);
    REQUIRE(connection.decode(size_update(0) + size_update(4096)) == HpackError::none);
    CHECK(table.entries() == 0);
    REQUIRE(connection.decode(size_update(0) + added("a", "1")) == HpackError::none);
    CHECK(connection.text == "a: 1\r\n");
    CHECK(table.entries() == 0);
}

TEST_CASE("a new entry may have the name of one that it evicts") {
    Connection connection;
    REQUIRE(connection.decode(added("first", std::string(2000, 'a')) + entry_of(2000))
            == HpackError::none);
    REQUIRE(connection.decode(added(63, std::string(3000, 'b'))) == HpackError::none);
    CHECK(connection.text == "first: " + std::string(3000, 'b') + "\r\n");
    CHECK(connection.decoder.table().entries() == 1);
    REQUIRE(connection.decode(indexed(62)) == HpackError::none);
    CHECK(connection.text == "first: " + std::string(3000, 'b') + "\r\n");
}

TEST_CASE("the table stays true over many blocks, and its memory is bounded") {
    Connection connection;
    auto const& table = connection.decoder.table();
    CHECK(table.memory() == 0);
    REQUIRE(connection.decode(bytes_of("828684")) == HpackError::none);
    CHECK(table.memory() == 0);
    std::vector<std::string> lines; // the newest last
    std::size_t largest = 0;
    for (std::size_t i = 0; i < 2'000; ++i) {
        auto const name = "name-" + std::to_string(i);
        std::string const value(i * 37 % 301, static_cast<char>('a' + i % 26));
        REQUIRE(connection.decode(added(name, value)) == HpackError::none);
        lines.push_back(name + ": " + value + "\r\n");
        REQUIRE(table.size() <= 4096);
        REQUIRE(table.entries() >= 1);
        largest = std::max(largest, table.memory());
        if (i == 0) CHECK(table.memory() <= 1280);
        // The oldest, the newest, and what is beyond.
        REQUIRE(connection.decode(indexed(62) + indexed(61 + table.entries())) == HpackError::none);
        REQUIRE(connection.text == lines.back() + lines[lines.size() - table.entries()]);
    }
    CHECK(largest <= 8 * 1024);
    // The most entries that there can be.
    std::string block;
    for (int i = 0; i < 200; ++i)
        block += added("", "");
    REQUIRE(connection.decode(block) == HpackError::none);
    CHECK(table.entries() == 128);
    CHECK(table.memory() <= 8 * 1024);
}

TEST_CASE("an entry keeps its verdict") {
    Connection connection;
    REQUIRE(connection.decode(added("Bad", "1")) == HpackError::none);
    CHECK(connection.rule() == "capital_in_field_name");
    REQUIRE(connection.decode(added("good", "a\nb")) == HpackError::none);
    CHECK(connection.rule() == "control_character");
    REQUIRE(connection.decode(indexed(62)) == HpackError::none);
    CHECK(connection.rule() == "control_character");
    CHECK(connection.text.empty());
    REQUIRE(connection.decode(indexed(63)) == HpackError::none);
    CHECK(connection.rule() == "capital_in_field_name");
    // Of a refused entry the name may be good, or not.
    REQUIRE(connection.decode(integer(0, 4, 62) + string("c")) == HpackError::none);
    CHECK(connection.rule().empty());
    CHECK(connection.text == "good: c\r\n");
    REQUIRE(connection.decode(integer(0, 4, 63) + string("c")) == HpackError::none);
    CHECK(connection.rule() == "capital_in_field_name");
    // A value behind a good name is judged.
    REQUIRE(connection.decode(integer(0, 4, 32) + string("a\rb")) == HpackError::none);
    CHECK(connection.rule() == "bare_carriage_return");
}

TEST_CASE("beyond the limit of a head nothing is stored, and the table stays true") {
    Connection connection;
    connection.limits.head = 4096;
    connection.limits.line = 4096;
    auto const large = plain("a", std::string(4000, 'a'));
    REQUIRE(connection.decode(large + added("b", std::string(200, 'b')) + added("c", "3"))
            == HpackError::none);
    CHECK(connection.rule() == "head_too_large");
    CHECK(connection.text == "a: " + std::string(4000, 'a') + "\r\n");
    REQUIRE(connection.decode(indexed(62) + indexed(63)) == HpackError::none);
    CHECK(connection.text == "c: 3\r\nb: " + std::string(200, 'b') + "\r\n");
    // The largest entry of the table, where no text has room any more.
    REQUIRE(connection.decode(large + plain("b", std::string(86, 'b')) + entry_of(4096, 'd'))
            == HpackError::none);
    CHECK(connection.rule() == "head_too_large");
    CHECK(connection.text.size() == 4096);
    REQUIRE(connection.decode(indexed(62)) == HpackError::none);
    CHECK(connection.text == "n: " + std::string(4063, 'd') + "\r\n");
    // Larger than the table: decoded nowhere, but it empties it.
    REQUIRE(connection.decode(large + added("e", std::string(6000, 'e'))) == HpackError::none);
    CHECK(connection.rule() == "line_too_long");
    CHECK(connection.decoder.table().entries() == 0);
    // Its code is checked all the same.
    CHECK(connection.decode(large + integer(0, 4, 32) + integer(0x80, 7, 6000)
                            + std::string(6000, '\xFF'))
          == HpackError::huffman);
}

TEST_CASE("a head has 16 KiB, and one line may be as long") {
    auto const rule_of = [](std::vector<std::size_t> const& lines) {
        Connection connection;
        std::string block;
        for (auto const size : lines) // with their ends
            block += plain("n", std::string(size - 5, 'v'));
        REQUIRE(connection.decode(block) == HpackError::none);
        return connection.rule();
    };
    CHECK(rule_of({8194, 8190}).empty());
    CHECK(rule_of({8194, 8191}) == "head_too_large");
    CHECK(rule_of({16'384}).empty());
    CHECK(rule_of({16'385}) == "head_too_large");
    CHECK(rule_of({8190, 8194, 20}) == "head_too_large");
}

TEST_CASE("a head has 100 fields, with pseudo fields and crumbs") {
    Connection connection;
    auto const fields = [](std::size_t count) {
        std::string block = bytes_of("828784");
        for (std::size_t i = 3; i < count; ++i)
            block += plain(i % 2 == 0 ? "cookie" : "n", "v");
        return block;
    };
    REQUIRE(connection.decode(fields(100)) == HpackError::none);
    CHECK(connection.rule().empty());
    REQUIRE(connection.decode(fields(101) + added("n", "w")) == HpackError::none);
    CHECK(connection.rule() == "too_many_fields");
    REQUIRE(connection.decode(indexed(62)) == HpackError::none);
    CHECK(connection.text == "n: w\r\n");
}

TEST_CASE("a block with more than 64 KiB of text ends the connection") {
    Connection connection;
    // A line of 1,024 bytes for an octet.
    auto const line = added("n", std::string(1019, 'v'));
    auto const block = [&](std::size_t repeated) { return line + std::string(repeated, '\xBE'); };
    REQUIRE(connection.decode(block(63)) == HpackError::none);
    CHECK(connection.rule() == "head_too_large");
    CHECK(connection.decode(block(64)) == HpackError::too_much_text);
    Connection literal;
    CHECK(literal.decode(block(63) + plain("n", "")) == HpackError::too_much_text);
    Connection larger;
    larger.limits.head = 128 * 1024;
    REQUIRE(larger.decode(block(127)) == HpackError::none);
    CHECK(larger.rule() == "too_many_fields");
    CHECK(larger.decode(block(128)) == HpackError::too_much_text);
}

TEST_CASE("a line of more than 16 bits is refused, whatever the limits are") {
    Connection connection;
    connection.limits.head = std::size_t{1} << 20;
    connection.limits.line = std::size_t{1} << 20; // more than a line may ever have
    REQUIRE(connection.decode(plain("n", std::string(65'500, 'v'))) == HpackError::none);
    CHECK(connection.rule().empty());
    CHECK(connection.text.size() == 65'505);
    for (auto const size : std::vector<std::size_t>{65'533, 65'536, 70'000}) {
        REQUIRE(connection.decode(plain("n", std::string(size, 'v'))) == HpackError::none);
        CHECK(connection.rule() == "line_too_long");
        REQUIRE(connection.decode(plain(std::string(size, 'n'), "v")) == HpackError::none);
        CHECK(connection.rule() == "line_too_long");
    }
}

} // namespace hpack_decoder_test
