// The tape that is built in one pass: for which texts it is, and that they are judged the same as
// those for which it is not.
#include "gateway/contract/evaluate/tape_builder.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

using namespace sallyport::contract;

namespace {

constexpr std::size_t max_depth = 4;

class Built {
public:
    // Behind the text stands `tail`, which must not count.
    explicit Built(std::string const& text, char tail = '1')
        : text_{text + std::string(read_beyond, tail)}, words_{
                                                            new std::uint64_t[text.size() + 64]} {
        std::string_view const all{text_};
        is_built = build_tape(all.substr(0, text.size()), max_depth, {}, words_.get(), facts);
        tape = {words_.get(), nullptr, text_.data()};
    }

    bool is_built = false;
    Tape tape;
    Facts facts;

private:
    std::string text_;
    std::unique_ptr<std::uint64_t[]> words_;
};

} // namespace

TEST_CASE("no tape is built for what is no JSON, whatever stands behind the text") {
    for (char const tail : {'1', '"', '}', ']', ',', ' ', '\0'}) {
        for (char const* const text : {"[",
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
            CHECK_FALSE(Built{text, tail}.is_built);
        }
    }
}

TEST_CASE("no tape is built for a string with an escape or a control, wherever it stands") {
    for (std::size_t size = 1; size < 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (char const c : {'\\', '\0', '\n', '\x1F'}) {
                std::string text(size, 'a');
                text[at] = c;
                INFO(size << " bytes, " << int{c} << " at " << at);
                CHECK_FALSE(Built{"[\"" + text + "\"]"}.is_built);
                CHECK_FALSE(Built{"[\"\xC3\xA4" + text + "\"]"}.is_built);
                CHECK_FALSE(Built{"{\"" + text + "\":1}"}.is_built);
            }
        }
    }
}

TEST_CASE("no tape is built for a string that the text does not end, whatever stands behind it") {
    for (std::size_t size = 0; size < 40; ++size) {
        for (char const tail : {'"', ']', 'a', ' ', '\xC3'}) {
            INFO(size << " bytes and " << tail);
            CHECK_FALSE(Built{"[\"" + std::string(size, 'a') + "]", tail}.is_built);
        }
    }
}

TEST_CASE("no tape is built for what is not UTF-8") {
    for (char const* const bytes :
         {"\xFF", "\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE4\xBD"}) {
        for (std::size_t size : {0U, 1U, 15U, 16U, 17U, 40U}) {
            std::string const text = std::string(size, 'a') + bytes;
            INFO(text);
            CHECK_FALSE(Built{"[\"" + text + "\"]"}.is_built);
            CHECK_FALSE(Built{"[1,\"" + text + "a\",{}]"}.is_built);
            CHECK_FALSE(Built{"{\"" + text + "\":1}"}.is_built);
        }
    }
    CHECK(Built("[\"a\"]", '\xFF').is_built);
}

TEST_CASE("a string ends at its quote, however long it is") {
    for (std::size_t size = 0; size < 70; ++size) {
        std::string const string = std::string(size, 'a') + "\xC3\xA4";
        Built const built{"{\"" + string + "\":\"" + string + "\"}", '"'};
        REQUIRE(built.is_built);
        CHECK(built.tape.string(2) == string);
        CHECK(built.tape.string(3) == string);
    }
}

TEST_CASE("spaces stand between tokens, as many as there are, and what is no space does not") {
    for (std::size_t count = 0; count < 40; ++count) {
        for (char const space : {' ', '\n', '\r', '\t'}) {
            std::string const s(count, space);
            INFO(count << " times " << int{space});
            CHECK(Built{s + "{" + s + "\"a\"" + s + ":" + s + "[" + s + "1" + s + "," + s + "true"
                        + s + "]" + s + "," + s + "\"b\"" + s + ":" + s + "{" + s + "}" + s + "}"
                        + s}
                      .is_built);
        }
        for (char const other : {'\0', '\f', '\v', '\b', '\x1F', '\xA0'})
            CHECK_FALSE(Built{"[" + std::string(count, ' ') + other + "1]"}.is_built);
    }
}

TEST_CASE("no tape is built for what is rare: simdjson decides") {
    for (char const* const text :
         {"1", "\"a\"", "[1e5]", "[1.5E1]", "[-0]", "[1234567890123456]", "[123456789.5]",
          "[1.12345678]", "[[[[[1]]]]]", "{\"a\":1,\"b\":2,\"a\":3}"}) {
        INFO(text);
        CHECK_FALSE(Built{text}.is_built);
    }
}

TEST_CASE("a tape is built for what clients mostly send") {
    for (char const* const text :
         {"{}", "[]", " [ ] ", "[[[[]]]]", "{\"a\":{\"a\":{\"a\":[]}}}", "[true,false,null]",
          "[0, 7, -7, 12345678, 123456789, 123456789012345, -123456789012345]",
          "[0.5, -0.5, -0.0, 12345678.1234567]",
          "{\"a\":\"b\",\"c\":\"\xC3\xA4  \" , \"\" : \"\"}\r\n\t"}) {
        INFO(text);
        CHECK(Built{text}.is_built);
    }
}

TEST_CASE("a built tape says where the strings of the text are, and the values of its numbers") {
    Built const built{R"({"name": "v  " , "n": -12, "d": -0.25, "list": [1, {}]})"};
    REQUIRE(built.is_built);
    Tape const& tape = built.tape;
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
    CHECK(built.facts.hash(2) == hash_name("name"));
    CHECK((built.facts.bits(tape, 1) & bit_of_name(hash_name("list"))) != 0);
    CHECK(built.facts.bits(tape, list + 3) == 0);
}
