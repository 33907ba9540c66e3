// The tape that is built from simdjson's tokens: for which texts it is, and that they are judged
// the same as those for which it is not.
#include "gateway/contract/evaluate/tape_builder.h"

#include <catch2/catch.hpp>
#include <simdjson.h>

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
        : text_{text + std::string(64, tail)}, words_{new std::uint64_t[text.size() + 64]} {
        simdjson::dom::parser parser;
        REQUIRE(parser.allocate(text.size(), max_depth) == simdjson::SUCCESS);
        auto& stages = *parser.implementation;
        has_tokens = stages.stage1(reinterpret_cast<std::uint8_t const*>(text_.data()), text.size(),
                                   simdjson::stage1_mode::regular)
                     == simdjson::SUCCESS;
        if (!has_tokens) return;
        Tokens const tokens{std::string_view{text_}.substr(0, text.size()),
                            stages.structural_indexes.get(), stages.n_structural_indexes};
        is_built = build_tape(tokens, max_depth, {}, words_.get(), facts);
        tape = {words_.get(), nullptr, text_.data()};
    }

    bool has_tokens = false;
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
        for (char const* const text :
             {"[",        "[1",        "[1,",        "[,]",          "[1,]",    "[1 2]",
              "{",        "{}}",       "{]",         "{\"a\"",       "{\"a\":", "{\"a\"}",
              "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\",1}",    "{1:1}",   "{\"a\" \"b\"}",
              "[]]",      "[] []",     "[01]",       "[-]",          "[-a]",    "[1.]",
              "[.5]",     "[+1]",      "[1x]",       "[1\"a\"]",     "[tru]",   "[truex]",
              "[nul]",    "[falsy]",   "[\"a\"x]",   "[\"a\"\"b\"]", "[True]",  "{\"a\":1 \"b\":2}",
              "[:]",      "[1}",       "{\"a\":1]",  "[[1}]",        "[1:2]",   "[1\f]"}) {
            INFO(text << " and " << tail);
            CHECK_FALSE(Built{text, tail}.is_built);
        }
    }
}

TEST_CASE("no tape is built for what is rare: simdjson decides") {
    for (char const* const text :
         {"1", "\"a\"", "[1e5]", "[1.5E1]", "[-0]", "[1234567890123456]", "[123456789.5]",
          "[1.12345678]", "[[[[[1]]]]]", "{\"a\":1,\"b\":2,\"a\":3}"}) {
        INFO(text);
        CHECK(Built{text}.has_tokens);
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
