// The examples of RFC 7541, appendix C.
#include "tests/unit/http2/blocks.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace hpack_vectors_test {

using namespace header_blocks;

namespace {

// The entries, the newest first.
std::string table_of(Connection const& connection) {
    std::string lines;
    auto const& table = connection.decoder.table();
    for (std::size_t age = 0; age < table.entries(); ++age) {
        auto const entry = table.at(age);
        lines.append(entry.line, entry.field.record.line_size());
    }
    return lines;
}

struct Step {
    std::string_view hexadecimal;
    std::string_view lines;
    std::string_view table;
    std::size_t table_size;
};

// One block after the other, on one table; what is in front of the first block goes with it.
void check(std::vector<Step> const& steps, std::string const& in_front = {}) {
    Connection connection;
    std::string before = in_front;
    for (auto const& step : steps) {
        INFO(step.hexadecimal);
        REQUIRE(connection.decode(before + bytes_of(step.hexadecimal)) == http2::HpackError::none);
        before.clear();
        CHECK(connection.text == step.lines);
        CHECK(table_of(connection) == step.table);
        CHECK(connection.decoder.table().size() == step.table_size);
    }
}

constexpr std::string_view first_request = ":method: GET\r\n"
                                           ":scheme: http\r\n"
                                           ":path: /\r\n"
                                           ":authority: www.example.com\r\n";
constexpr std::string_view first_request_table = ":authority: www.example.com\r\n";
constexpr std::string_view second_request = ":method: GET\r\n"
                                            ":scheme: http\r\n"
                                            ":path: /\r\n"
                                            ":authority: www.example.com\r\n"
                                            "cache-control: no-cache\r\n";
constexpr std::string_view second_request_table = "cache-control: no-cache\r\n"
                                                  ":authority: www.example.com\r\n";
constexpr std::string_view third_request = ":method: GET\r\n"
                                           ":scheme: https\r\n"
                                           ":path: /index.html\r\n"
                                           ":authority: www.example.com\r\n"
                                           "custom-key: custom-value\r\n";
constexpr std::string_view third_request_table = "custom-key: custom-value\r\n"
                                                 "cache-control: no-cache\r\n"
                                                 ":authority: www.example.com\r\n";

constexpr std::string_view first_response = ":status: 302\r\n"
                                            "cache-control: private\r\n"
                                            "date: Mon, 21 Oct 2013 20:13:21 GMT\r\n"
                                            "location: https://www.example.com\r\n";
constexpr std::string_view first_response_table = "location: https://www.example.com\r\n"
                                                  "date: Mon, 21 Oct 2013 20:13:21 GMT\r\n"
                                                  "cache-control: private\r\n"
                                                  ":status: 302\r\n";
constexpr std::string_view second_response = ":status: 307\r\n"
                                             "cache-control: private\r\n"
                                             "date: Mon, 21 Oct 2013 20:13:21 GMT\r\n"
                                             "location: https://www.example.com\r\n";
constexpr std::string_view second_response_table = ":status: 307\r\n"
                                                   "location: https://www.example.com\r\n"
                                                   "date: Mon, 21 Oct 2013 20:13:21 GMT\r\n"
                                                   "cache-control: private\r\n";
constexpr std::string_view third_response =
    ":status: 200\r\n"
    "cache-control: private\r\n"
    "date: Mon, 21 Oct 2013 20:13:22 GMT\r\n"
    "location: https://www.example.com\r\n"
    "content-encoding: gzip\r\n"
    "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\r\n";
constexpr std::string_view third_response_table =
    "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\r\n"
    "content-encoding: gzip\r\n"
    "date: Mon, 21 Oct 2013 20:13:22 GMT\r\n";

} // namespace

TEST_CASE("integers are those of C.1") {
    // C.1.1 and C.1.2, as sizes of the table, which have a prefix of five bits. (C.1.3 has one of
    // eight, as no representation has.)
    auto const largest_entry = [](std::string const& update, std::size_t size) {
        Connection connection;
        std::string const value(size - 1 - http2::DynamicTable::entry_overhead, 'x');
        REQUIRE(connection.decode(update + added("n", value)) == http2::HpackError::none);
        return connection.decoder.table().entries();
    };
    CHECK(largest_entry(bytes_of("2a"), 33) == 0);
    CHECK(largest_entry(bytes_of("3f9a0a"), 1337) == 1);
    CHECK(largest_entry(bytes_of("3f9a0a"), 1338) == 0);
}

TEST_CASE("single fields are those of C.2") {
    check({{"400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
            "custom-key: custom-header\r\n", "custom-key: custom-header\r\n", 55}});
    check({{"040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path\r\n", "", 0}});
    check({{"1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret\r\n", "", 0}});
    check({{"82", ":method: GET\r\n", "", 0}});
}

TEST_CASE("requests without Huffman coding are those of C.3") {
    check({{"8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", first_request, first_request_table,
            57},
           {"8286 84be 5808 6e6f 2d63 6163 6865", second_request, second_request_table, 110},
           {"8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
            third_request, third_request_table, 164}});
}

TEST_CASE("requests with Huffman coding are those of C.4") {
    check({{"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", first_request, first_request_table, 57},
           {"8286 84be 5886 a8eb 1064 9cbf", second_request, second_request_table, 110},
           {"8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf", third_request,
            third_request_table, 164}});
}

TEST_CASE("responses without Huffman coding are those of C.5") {
    check({{"4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 "
            "2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 "
            "6c65 2e63 6f6d",
            first_response, first_response_table, 222},
           {"4803 3330 37c1 c0bf", second_response, second_response_table, 222},
           {"88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d "
            "54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 "
            "5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e "
            "3d31",
            third_response, third_response_table, 215}},
          size_update(256));
}

TEST_CASE("responses with Huffman coding are those of C.6") {
    check({{"4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 "
            "2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            first_response, first_response_table, 222},
           {"4883 640e ffc1 c0bf", second_response, second_response_table, 222},
           {"88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab "
            "77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f "
            "9587 3160 65c0 03ed 4ee5 b106 3d50 07",
            third_response, third_response_table, 215}},
          size_update(256));
}

} // namespace hpack_vectors_test
