// From simdjson's tokens to a tape: which texts are refused, and the tapes of the others.
#include "gateway/contract/evaluate/tape_walk.h"

#include <catch2/catch.hpp>
#include <simdjson.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace tape_walk_test {

using namespace sallyport::contract;

namespace {

constexpr std::size_t max_depth = 4;

class Walked {
public:
    // After the text is `tail`, which must have no effect.
    explicit Walked(std::string const& text, char tail = '1')
        : text_{text + std::string(read_beyond, tail)} {
        REQUIRE(parser_.allocate(text.size() + 1, 1) == simdjson::SUCCESS);
        REQUIRE(parser_.doc.allocate(text.size() + 1) == simdjson::SUCCESS);
        std::string_view const all{text_};
        laid = lay_tape(parser_, all.substr(0, text.size()), max_depth, {}, facts);
        tape = {parser_.doc.tape.get(), parser_.doc.string_buf.get(), text_.data()};
    }

    Laid laid = Laid::refused;
    Tape tape;
    Facts facts;

private:
    std::string text_;
    simdjson::dom::parser parser_;
};

[[nodiscard]] Laid laid(std::string const& text, char tail = '1') {
    return Walked{text, tail}.laid;
}

} // namespace

TEST_CASE("a text that is not JSON is refused, whatever follows it") {
    for (char const tail : {'1', '"', '}', ']', ',', ':', ' ', '[', '{', '\0'}) {
        for (char const* const text : {"[",
                                       "",
                                       " ",
                                       "[[1]",
                                       "[[]",
                                       "[{}",
                                       "{\"a\":[]",
                                       "{\"a\":{}",
                                       "{\"a\"]",
                                       "{\"a\":}",
                                       "{\"a\":]",
                                       "[-0x1]",
                                       "[1e]",
                                       "[1e+]",
                                       "[1.5.5]",
                                       "[1-]",
                                       "[--1]",
                                       "[1e5x]",
                                       "[-01]",
                                       "[00]",
                                       "1 2",
                                       "\"a\" 1",
                                       "tru",
                                       "-",
                                       "[1",
                                       "[1,",
                                       "[,]",
                                       "[1,]",
                                       "[1 2]",
                                       "{",
                                       "{}}",
                                       "{]",
                                       "{\"a\"",
                                       "{\"a\":",
                                       "{\"a\"}",
                                       "{\"a\":1",
                                       "{\"a\":1,",
                                       "{\"a\":1,}",
                                       "{\"a\",1}",
                                       "{1:1}",
                                       "{\"a\" \"b\"}",
                                       "[]]",
                                       "[] []",
                                       "[01]",
                                       "[-]",
                                       "[-a]",
                                       "[1.]",
                                       "[.5]",
                                       "[-.5]",
                                       "[+1]",
                                       "[1x]",
                                       "[1\"a\"]",
                                       "[tru]",
                                       "[truex]",
                                       "[nul]",
                                       "[falsy]",
                                       "[\"a\"x]",
                                       "[\"a\"\"b\"]",
                                       "[True]",
                                       "{\"a\":1 \"b\":2}",
                                       "[:]",
                                       "[1}",
                                       "{\"a\":1]",
                                       "[[1}]",
                                       "[1:2]",
                                       "[1\f]",
                                       "\f[1]",
                                       "[\v1]",
                                       "{a\":1}",
                                       "[,1]",
                                       "[1,,2]",
                                       "{,\"a\":1}",
                                       "}",
                                       "\"]",
                                       "[\"]",
                                       "{\"a\":\"}",
                                       "[1\xC2\xA0]"}) {
            INFO(text << " and " << tail);
            CHECK(laid(text, tail) == Laid::refused);
        }
    }
}

TEST_CASE("a string with a control character is refused, at any position") {
    for (std::size_t size = 1; size < 70; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (char const c : {'\0', '\n', '\x1F'}) {
                std::string text(size, 'a');
                text[at] = c;
                INFO(size << " bytes, " << int{c} << " at " << at);
                bool const is_refused = laid("[\"" + text + "\"]") == Laid::refused
                                        && laid("[\"\xC3\xA4" + text + "\"]") == Laid::refused
                                        && laid("{\"" + text + "\":1}") == Laid::refused;
                REQUIRE(is_refused);
            }
        }
    }
}

TEST_CASE("a string without an end is refused, whatever follows the text") {
    for (std::size_t size = 0; size < 70; ++size) {
        for (char const tail : {'"', ']', 'a', ' ', '\xC3'}) {
            INFO(size << " bytes and " << tail);
            CHECK(laid("[\"" + std::string(size, 'a') + "]", tail) == Laid::refused);
            CHECK(laid("[\"" + std::string(size, 'a') + "\\\"]", tail) == Laid::refused);
        }
    }
}

TEST_CASE("a text that is not UTF-8 is refused") {
    for (char const* const bytes :
         {"\xFF", "\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE4\xBD"}) {
        for (std::size_t size : {0U, 1U, 15U, 16U, 17U, 63U, 64U, 65U}) {
            std::string const text = std::string(size, 'a') + bytes;
            INFO(text);
            CHECK(laid("[\"" + text + "\"]") == Laid::refused);
            CHECK(laid("[1,\"" + text + "a\",{}]") == Laid::refused);
            CHECK(laid("{\"" + text + "\":1}") == Laid::refused);
        }
    }
    CHECK(laid("[\"a\"]", '\xFF') == Laid::done);
}

TEST_CASE("a text that is cut anywhere is refused") {
    std::string const text =
        R"({"name": "v\u00e4 ", "n": [-1.5e3, 12345678901234567890, [true, null, {}]], "o": {"":false}})";
    REQUIRE(laid(text) == Laid::done);
    for (char const tail : {'"', ']', '}', ',', ':', '1', ' '}) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            INFO(text.substr(0, size) << " and " << tail);
            CHECK(laid(text.substr(0, size), tail) == Laid::refused);
        }
    }
}

TEST_CASE("arrays and objects may be nested up to the limit") {
    CHECK(laid("[[[[]]]]") == Laid::done);
    CHECK(laid("[[[[1]]]]") == Laid::done);
    CHECK(laid("[[[[[]]]]]") == Laid::refused);
    CHECK(laid("[[[{\"a\":{}}]]]") == Laid::refused);
    CHECK(laid(R"({"a":{"a":{"a":{}}},"b":[[[]]]})") == Laid::done);
    CHECK(laid(R"({"a":{"a":{"a":[[]]}}})") == Laid::refused);
}

TEST_CASE("a duplicate name is found, and whether the rest is JSON") {
    CHECK(laid(R"({"a":1,"b":2,"a":3})") == Laid::has_twins);
    CHECK(laid(R"([{"b":{"a":1,"a":3}},[]])") == Laid::has_twins);
    CHECK(laid(R"({"a":1,"\u0061":3})") == Laid::has_twins);
    CHECK(laid(R"({"":1,"":3})") == Laid::has_twins);
    CHECK(laid(R"([{"a":1,"a":3},)") == Laid::refused);
    CHECK(laid(R"([{"a":1,"a":3},[1 2]])") == Laid::refused);
    CHECK(laid(R"([{"a":1},{"a":3}])") == Laid::done);
    CHECK(laid(R"({"a":{"a":3}})") == Laid::done);
    // Many names, some of which share both bits.
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += (i == 0 ? "{\"" : ",\"") + std::to_string(i) + "\":1";
    CHECK(laid(text + "}") == Laid::done);
    CHECK(laid(text + ",\"77\":1}") == Laid::has_twins);
}

TEST_CASE("half a surrogate is refused, in a name, a value and a text of its own") {
    for (char const* const text :
         {R"(["\ud800"])", R"({"\udc00":1})", R"({"a":"\ud800\u0041"})", R"("\udfff")"}) {
        INFO(text);
        CHECK(laid(text) == Laid::refused);
    }
    CHECK(laid(R"(["\ud83d\ude00"])") == Laid::done);
}

TEST_CASE("a string ends at its quote, however long it is") {
    for (std::size_t size = 0; size < 140; ++size) {
        std::string const string = std::string(size, 'a') + "\xC3\xA4";
        Walked const walked{"{\"" + string + "\" : \"" + string + "\"  }", '"'};
        REQUIRE(walked.laid == Laid::done);
        CHECK(walked.tape.string(2) == string);
        CHECK(walked.tape.string(3) == string);
    }
}

TEST_CASE("a string with escapes is copied, and those around it stay in the text") {
    Walked const walked{
        R"({"plain": "a", "na\tme": "\\ \"b\" \ud83d\ude00", "c" : "\u0000", "d":"e"})"};
    REQUIRE(walked.laid == Laid::done);
    Tape const& tape = walked.tape;
    CHECK(tape.string(2) == "plain");
    CHECK(tape.string(3) == "a");
    CHECK(tape.string(4) == "na\tme");
    CHECK(tape.string(5) == "\\ \"b\" \xF0\x9F\x98\x80");
    CHECK(tape.string(6) == "c");
    CHECK(tape.string(7) == std::string_view{"\0", 1});
    CHECK(tape.string(9) == "e");
    CHECK(walked.facts.hash(4) == hash_name("na\tme"));
    for (char const* const text : {R"(["\x"])", R"(["\u12G4"])", R"({"\":1})", R"(["\u12"])"}) {
        INFO(text);
        CHECK(laid(text) == Laid::refused);
    }
}

TEST_CASE("a string that is too long for a word of the tape is copied") {
    for (std::size_t size : {max_string_in_text, max_string_in_text + 1}) {
        std::string const text(size, 'a');
        Walked const walked{"[\"" + text + "\",\"b\",\"c\\n\"]"};
        REQUIRE(walked.laid == Laid::done);
        CHECK(walked.tape.string(2) == text);
        CHECK(walked.tape.string(3) == "b");
        CHECK(walked.tape.string(4) == "c\n");
    }
}

TEST_CASE("any number of spaces may be between tokens, and no other bytes") {
    for (std::size_t count = 0; count < 70; ++count) {
        for (char const space : {' ', '\n', '\r', '\t'}) {
            std::string const s(count, space);
            INFO(count << " times " << int{space});
            CHECK(laid(s + "{" + s + "\"a\"" + s + ":" + s + "[" + s + "1" + s + "," + s + "true"
                       + s + "]" + s + "," + s + "\"b\"" + s + ":" + s + "{" + s + "}" + s + "}"
                       + s)
                  == Laid::done);
        }
        for (char const other : {'\0', '\f', '\v', '\b', '\x1A', '\x1F', '\xA0'})
            CHECK(laid("[" + std::string(count, ' ') + other + "1]") == Laid::refused);
    }
}

TEST_CASE("a text may be one value that is not an array or object") {
    for (char const tail : {'1', '"', ' ', 'e', ']'}) {
        Walked const number{" -12", tail};
        REQUIRE(number.laid == Laid::done);
        CHECK(number.tape.signed_value(Tape::first) == -12);
        CHECK(Walked{"\"a\\nb\"", tail}.tape.string(Tape::first) == "a\nb");
        CHECK(Walked{"1.5", tail}.tape.number_value(Tape::first) == 1.5);
        CHECK(Walked{"true", tail}.tape.kind(Tape::first) == TapeKind::true_value);
        CHECK(Walked{"null ", tail}.tape.kind(Tape::first) == TapeKind::null);
    }
}

TEST_CASE("a number has the kind and the value that simdjson gives it") {
    auto const number = [](std::string const& text) {
        Walked const walked{"[" + text + "]"};
        INFO(text);
        REQUIRE(walked.laid == Laid::done);
        CHECK(walked.tape.next(2) == walked.tape.close(1));
        return std::pair{walked.tape.kind(2), walked.tape.words[3]};
    };
    auto const integer = [&](std::string const& text) {
        auto const [kind, value] = number(text);
        CHECK(kind == TapeKind::signed_integer);
        return static_cast<std::int64_t>(value);
    };
    auto const fraction = [&](std::string const& text) {
        auto const [kind, value] = number(text);
        CHECK(kind == TapeKind::number);
        return std::bit_cast<double>(value);
    };
    using Limits = std::numeric_limits<std::int64_t>;
    CHECK(integer("0") == 0);
    CHECK(integer("-0") == 0);
    CHECK(integer("7 ") == 7);
    CHECK(integer("-7") == -7);
    CHECK(integer("1234567890123456") == 1234567890123456);
    CHECK(integer("9223372036854775807") == Limits::max());
    CHECK(integer("-9223372036854775808") == Limits::min());
    CHECK(number("9223372036854775808")
          == std::pair{TapeKind::unsigned_integer, std::uint64_t{1} << 63});
    CHECK(number("18446744073709551615")
          == std::pair{TapeKind::unsigned_integer, std::numeric_limits<std::uint64_t>::max()});
    CHECK(fraction("0.5") == 0.5);
    CHECK(fraction("-0.25") == -0.25);
    CHECK(std::signbit(fraction("-0.0")));
    CHECK(fraction("1e5") == 1e5);
    CHECK(fraction("123456789.12345678901234567890") == 123456789.12345678901234567890);
    CHECK(fraction("5e-324") == 5e-324);
    for (char const* const text : {"[18446744073709551616]", "[-9223372036854775809]", "[1e400]",
                                   "[123456789012345678901234567890]"}) {
        INFO(text);
        CHECK(laid(text) == Laid::refused);
    }
}

TEST_CASE("nothing is read beyond the padding that a caller has to allocate") {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const pages =
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    char* const end = static_cast<char*>(pages) + page;
    REQUIRE(::mprotect(end, page, PROT_NONE) == 0);
    simdjson::dom::parser parser;
    REQUIRE(parser.allocate(page, 1) == simdjson::SUCCESS);
    REQUIRE(parser.doc.allocate(page) == simdjson::SUCCESS);
    for (char const* const text :
         {"[]", "{}", "[1]", "[1.5]", "[true]", "[\"\\n\"]", "{\"a\":\"\\u00e4\"}", "{\"\":1}",
          "[12345678901]", "1", "\"a\"", "[1", "{\"a", "{\"a\"", "{\"a\":", "[\"\\"}) {
        INFO(text);
        std::size_t const size = std::strlen(text);
        char* const begin = end - read_beyond - size;
        std::memcpy(begin, text, size);
        std::memset(begin + size, '"', read_beyond);
        Facts facts;
        Laid const all = lay_tape(parser, {begin, size}, max_depth, {}, facts);
        bool const is_whole = text[size - 1] == ']' || text[size - 1] == '}' || size == 1
                              || (text[0] == '"' && size == 3);
        CHECK(all == (is_whole ? Laid::done : Laid::refused));
    }
    ::munmap(pages, 2 * page);
}

TEST_CASE("a tape has the places of the text's strings and the values of its numbers") {
    Walked const walked{R"({"name": "v  " , "n": -12, "d": -0.25, "list": [1, {}]})"};
    REQUIRE(walked.laid == Laid::done);
    Tape const& tape = walked.tape;
    CHECK(tape.kind(1) == TapeKind::object);
    CHECK(tape.payload(1) >> 32 == 4);
    CHECK(tape.string(2) == "name");
    CHECK(tape.string(3) == "v  ");
    CHECK(tape.signed_value(5) == -12);
    CHECK(tape.number_value(8) == -0.25);
    TapeIndex const list = 11;
    CHECK(tape.kind(list) == TapeKind::array);
    CHECK(tape.payload(list) >> 32 == 2);
    CHECK(tape.next(list) == tape.close(1));
    CHECK(tape.end() == tape.close(1) + 1);
    CHECK(walked.facts.hash(2) == hash_name("name"));
    CHECK((walked.facts.bits(tape, 1) & bit_of_name(hash_name("list"))) != 0);
    CHECK(walked.facts.bits(tape, list + 3) == 0);
}

} // namespace tape_walk_test
