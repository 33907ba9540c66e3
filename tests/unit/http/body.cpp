// Bodies by chunks and by length, in pieces of every size.
#include "gateway/http/body.h"

#include <catch2/catch.hpp>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace body {

namespace {

using namespace sallyport::http;
using namespace std::string_literals;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

struct Decoded {
    std::string payload;
    std::string_view rule; // "complete", "more", or the violated rule
    std::size_t consumed = 0;
    RefusalKind kind{};
};

// Feeds `piece` in an allocation of its own until nothing more of it is consumed.
void feed(ChunkedReader& reader, std::string_view piece, Decoded& decoded) {
    auto const bytes = std::make_unique<char[]>(piece.size());
    piece.copy(bytes.get(), piece.size());
    std::string_view rest{bytes.get(), piece.size()};
    while (decoded.rule == "more" && !rest.empty()) {
        auto const step = reader.step(rest);
        decoded.payload += step.payload;
        decoded.consumed += step.consumed;
        rest.remove_prefix(step.consumed);
        if (step.complete) decoded.rule = "complete";
        if (step.refused) {
            decoded.rule = step.refused->rule;
            decoded.kind = step.refused->kind;
        }
        if (step.consumed == 0) break;
    }
}

Decoded decode(std::vector<std::string_view> const& pieces, std::uint64_t limit = no_limit,
               Sender sender = Sender::client) {
    ChunkedReader reader{limit, sender};
    Decoded decoded;
    decoded.rule = "more";
    for (auto const piece : pieces)
        feed(reader, piece, decoded);
    return decoded;
}

std::string_view judge(std::string_view bytes, std::uint64_t limit = no_limit) {
    return decode({bytes}, limit).rule;
}

} // namespace

TEST_CASE("a chunk size that is no plain hexadecimal number is refused") {
    for (auto const text : {"\r\n", "g\r\n", "0x5\r\nabcde\r\n", "+5\r\n", "-5\r\n", " 5\r\n",
                            "\t5\r\n", "5 \r\n", "5\t\r\n", "5 5\r\n", "5,5\r\n", "\n", ";a\r\n",
                            "5.0\r\n", "\xd9\xa5\r\n", "5h\r\n", "5\n"}) {
        INFO(text);
        CHECK(judge(text) == "chunk_size");
    }
    CHECK(judge("5\0\r\n"s) == "chunk_size");
}

TEST_CASE("a chunk size has 16 digits at most, and never wraps around") {
    CHECK(judge("00000000000000005\r\n") == "chunk_size_too_long");
    CHECK(judge("10000000000000005\r\n") == "chunk_size_too_long");
    CHECK(judge("fffffffffffffffff\r\n") == "chunk_size_too_long");
    CHECK(judge("0000000000000005\r\nabcde\r\n0\r\n\r\n") == "complete");
    // Two sizes whose sum is beyond 64 bits: the limit is compared without adding.
    CHECK(judge("1\r\na\r\nffffffffffffffff\r\n", 100) == "body_too_large");
    CHECK(judge("1\r\na\r\nffffffffffffffff\r\n") == "body_too_large");
}

TEST_CASE("a line before a chunk ends in CR LF, and so do its data") {
    CHECK(judge("5\rabcde\r\n") == "chunk_line_end");
    CHECK(judge("5\r\r\nabcde\r\n") == "chunk_line_end");
    CHECK(judge("5;a\rb\r\nabcde\r\n") == "chunk_line_end");
    CHECK(judge("5\r\nabcdef\r\n") == "chunk_data_end");
    CHECK(judge("5\r\nabcde\n") == "chunk_data_end");
    CHECK(judge("5\r\nabcde0\r\n\r\n") == "chunk_data_end");
    CHECK(judge("5\r\nabcde\r0\r\n") == "chunk_data_end");
    CHECK(judge("5\r\nabcde\r\r\n") == "chunk_data_end");
}

TEST_CASE("chunk extensions are dropped, but hide no line end and no control character") {
    CHECK(decode({"5;a\r\nabcde\r\n0;b=\"c;d\"\r\n\r\n"}).payload == "abcde");
    CHECK(judge("5;a=b;c=\"d\\\"e\\\\\";f\r\nabcde\r\n0\r\n\r\n") == "complete");
    CHECK(judge("5 \t;a\r\nabcde\r\n0\r\n\r\n") == "complete");
    CHECK(judge("5\t; a =\tb ; c = \"\x80\" ;d\r\nabcde\r\n0\r\n\r\n") == "complete");
    CHECK(judge("5;a=\"\n\"\r\nabcde\r\n") == "chunk_extension");
    CHECK(judge("5;a=\"\r\n0\r\n\r\n\"\r\n") == "chunk_extension");
    CHECK(judge("5;a=\"\\\r\n\"\r\n") == "chunk_extension");
    CHECK(judge("5;a=\"\\\"\r\n\"\r\n") == "chunk_extension");
    CHECK(judge("5;a\nabcde\r\n") == "chunk_extension");
    CHECK(judge("5;\x01\r\nabcde\r\n") == "chunk_extension");
    CHECK(judge("5;a\0b\r\nabcde\r\n"s) == "chunk_extension");
    CHECK(judge("5;a\x7f\r\nabcde\r\n") == "chunk_extension");
}

TEST_CASE("chunk extensions are names, each with one value at most") {
    for (std::string_view const extension : {";",
                                             ";;",
                                             "; ",
                                             ";\"a\"",
                                             ";=b",
                                             ";a;",
                                             ";a=",
                                             ";a= ",
                                             ";a==b",
                                             ";a=b=c",
                                             ";a=b c",
                                             ";a b",
                                             ";a\"b\"",
                                             ";a=b\"c\"",
                                             ";a=\"b\"c",
                                             ";a=\"b\"\"c\"",
                                             ";a=\"b\" c",
                                             ";a=\"b\"=c",
                                             ";a=\x80",
                                             ";a\x80",
                                             ";a=\"\\\x01\"",
                                             ";a=\"\x01\"",
                                             ";a ",
                                             ";a=b\t",
                                             ";a=\"b\" ",
                                             ";a=(",
                                             ";(a"}) {
        CAPTURE(extension);
        CHECK(judge("5" + std::string{extension} + "\r\nabcde\r\n0\r\n\r\n") == "chunk_extension");
    }
}

TEST_CASE("the line before a chunk is limited, and all extensions together are") {
    auto const line_of = [](std::size_t size) {
        return "1;" + std::string(size - 4, 'x') + "\r\n";
    };
    auto const max = ChunkedReader::max_line_size;
    CHECK(judge(line_of(max) + "a\r\n0\r\n\r\n") == "complete");
    CHECK(judge(line_of(max + 1)) == "chunk_line_too_long");
    CHECK(judge("1 " + std::string(max, ' ')) == "chunk_line_too_long");
    // Each of these lines has an extension of 1,024 bytes, its carriage return included.
    std::string many;
    for (std::size_t i = 0; i < ChunkedReader::max_extensions_size / 1024; ++i)
        many += line_of(1027) + "a\r\n";
    CHECK(judge(many) == "more");
    CHECK(judge(many + "1;a\r\n") == "chunk_extensions_too_large");
}

TEST_CASE("trailers are limited, checked and dropped") {
    auto const with_trailers = [](std::string_view trailers) {
        return "0\r\n" + std::string{trailers} + "\r\n";
    };
    auto const decoded =
        decode({"1\r\na\r\n" + with_trailers("Authorization: Basic YTpi\r\nHost: b\r\n")});
    CHECK(decoded.rule == "complete");
    CHECK(decoded.payload == "a");
    auto const max = ChunkedReader::max_trailers_size;
    // The limit counts every byte after the last chunk's line.
    CHECK(judge(with_trailers("A: " + std::string(max - 7, 'x') + "\r\n")) == "complete");
    CHECK(judge(with_trailers("A: " + std::string(max - 6, 'x') + "\r\n")) == "trailers_too_large");
    CHECK(judge(with_trailers("A: " + std::string(65'534, 'x') + "\r\n")) == "trailers_too_large");
    std::string many;
    for (std::size_t i = 0; i < max; ++i)
        many += "A:\r\n";
    CHECK(judge(with_trailers(many)) == "trailers_too_large");
    for (auto const trailers :
         {" a: b\r\n", "\ta: b\r\n", "a: b\r\n c\r\n", "a\r\n", ": b\r\n", "a b: c\r\n",
          "a : b\r\n", "a: b\nc: d\r\n", "a: \x01\r\n", "\n", "a: b\r\n\n", "a\n"}) {
        INFO(trailers);
        CHECK(judge(with_trailers(trailers)) == "malformed_trailer");
    }
    CHECK(judge(with_trailers("a: b\0c\r\n"s)) == "malformed_trailer");
    CHECK(judge("0\r\na: b\rc") == "chunk_line_end");
    CHECK(judge("0\r\n\ra") == "chunk_line_end");
    CHECK(judge("0\r\na: b\r\n\r\r\n") == "chunk_line_end");
}

TEST_CASE("trailers of a message that announces them are kept as whole lines") {
    auto const kept = [](std::string_view trailers, Sender sender = Sender::client) {
        std::string const bytes = "1\r\na\r\n0\r\n" + std::string{trailers} + "\r\nGET";
        std::string result;
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            std::string storage;
            storage.reserve(ChunkedReader::max_trailers_size);
            ChunkedReader reader{no_limit, sender, &storage};
            Decoded decoded;
            decoded.rule = "more";
            feed(reader, std::string_view{bytes}.substr(0, cut), decoded);
            feed(reader, std::string_view{bytes}.substr(cut), decoded);
            auto const here = decoded.rule == "complete" ? storage : std::string{decoded.rule};
            if (cut == 0) result = here;
            REQUIRE(here == result);
        }
        return result;
    };
    CHECK(kept("").empty());
    CHECK(kept("A: b\r\nX-Sum:1 \r\n") == "A: b\r\nX-Sum:1 \r\n");
    // The policy for fields of a head: a server may take the name for another.
    CHECK(kept("X_Forwarded_For: 10.0.0.1\r\n") == "shadowing_field_name");
    CHECK(kept("a: b\r\nX_Request.Id: 1\r\nc: d\r\n") == "shadowing_field_name");
    CHECK(kept("X_Forwarded_For: 10.0.0.1\r\n", Sender::upstream)
          == "X_Forwarded_For: 10.0.0.1\r\n");
    CHECK(kept("a: \x01\r\n") == "malformed_trailer");
}

TEST_CASE("only a message that announces trailers has memory for them") {
    auto const storage_of = [](std::string const& fields) {
        RequestHead head;
        auto const bytes = "POST / HTTP/1.1\r\nHost: a\r\n" + fields
                           + "Transfer-Encoding: chunked\r\n\r\n";
        REQUIRE(parse_request_head(bytes, {}, head) == nullptr);
        return storage_for_trailers(head.fields);
    };
    CHECK(storage_of("") == nullptr);
    auto const storage = storage_of("Trailer: X-Sum\r\n");
    REQUIRE(storage != nullptr);
    CHECK(storage->capacity() >= ChunkedReader::max_trailers_size);
}

TEST_CASE("a chunked body larger than its limit is refused when a chunk announces it") {
    CHECK(judge("5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n", 10) == "complete");
    CHECK(judge("5\r\nabcde\r\n6\r\n", 10) == "body_too_large");
    CHECK(judge("b\r\n", 10) == "body_too_large");
    CHECK(judge("1\r\n", 0) == "body_too_large");
    CHECK(judge("0\r\n\r\n", 0) == "complete");
    CHECK(decode({"b\r\n"}, 10).kind == RefusalKind::body_too_large);
    CHECK(decode({"b\r\n"}, 10, Sender::upstream).kind == RefusalKind::upstream_invalid);
    CHECK(decode({"x\r\n"}).kind == RefusalKind::bad_request);
    CHECK(decode({"x\r\n"}, no_limit, Sender::upstream).kind == RefusalKind::upstream_invalid);
}

TEST_CASE("a chunked body is the same in pieces of every kind") {
    std::string const body = "5\r\nabcde\r\nA;x=\"y\"\r\n0123456789\r\n00\r\nT: v\r\nU:\r\n\r\n";
    std::string const bytes = body + "GET / HTTP/1.1\r\n";
    auto const whole = decode({bytes});
    REQUIRE(whole.rule == "complete");
    CHECK(whole.payload == "abcde0123456789");
    CHECK(whole.consumed == body.size());
    std::string_view const view{bytes};
    for (std::size_t i = 0; i <= view.size(); ++i) {
        for (std::size_t j = i; j <= view.size(); ++j) {
            auto const decoded = decode({view.substr(0, i), view.substr(i, j - i), view.substr(j)});
            REQUIRE(decoded.rule == "complete");
            REQUIRE(decoded.payload == whole.payload);
            REQUIRE(decoded.consumed == whole.consumed);
        }
    }
    std::vector<std::string_view> bytewise;
    for (std::size_t i = 0; i < view.size(); ++i)
        bytewise.push_back(view.substr(i, 1));
    CHECK(decode(bytewise).payload == whole.payload);
    CHECK(decode(bytewise).consumed == body.size());
}

TEST_CASE("a fault is the same in pieces of every kind, and stays") {
    for (auto const bytes :
         {"5\r\nabcdeX\r\n", "5;a=\"\n\"\r\n", "0\r\nT v\r\n\r\n", "1\r\na\r\nx"}) {
        std::string_view const view{bytes};
        auto const expected = judge(view);
        for (std::size_t i = 0; i <= view.size(); ++i)
            CHECK(decode({view.substr(0, i), view.substr(i)}).rule == expected);
    }
    ChunkedReader reader{no_limit, Sender::client};
    REQUIRE(reader.step("x").refused);
    auto const step = reader.step("5\r\nabcde\r\n");
    CHECK(step.refused);
    CHECK(step.consumed == 0);
}

TEST_CASE("a chunked body that is cut short is never complete") {
    std::string const bytes = "5\r\nabcde\r\n0\r\nT: v\r\n\r\n";
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK(judge(std::string_view{bytes}.substr(0, size)) == "more");
    CHECK(judge(bytes) == "complete");
}

TEST_CASE("nothing behind the end of a chunked body is touched") {
    ChunkedReader reader{no_limit, Sender::client};
    auto step = reader.step("0\r\n\r\nGET");
    CHECK(step.complete);
    CHECK(step.consumed == 5);
    step = reader.step("GET");
    CHECK(step.complete);
    CHECK(step.consumed == 0);
    CHECK(step.payload.empty());
}

TEST_CASE("a body with a length ends at that length") {
    LengthReader reader{5};
    auto step = reader.step("ab");
    CHECK(!step.complete);
    CHECK(step.payload == "ab");
    CHECK(reader.left() == 3);
    step = reader.step("");
    CHECK(!step.complete);
    step = reader.step("cdeGET");
    CHECK(step.complete);
    CHECK(step.payload == "cde");
    CHECK(step.consumed == 3);
    step = reader.step("GET");
    CHECK(step.complete);
    CHECK(step.consumed == 0);
    CHECK(LengthReader{0}.step("GET").complete);
}

TEST_CASE("the chunks that we write are read as they were meant") {
    auto const line = [](std::uint64_t size) {
        return std::string{std::string_view{ChunkSizeLine{size}}};
    };
    CHECK(line(0) == "0\r\n");
    CHECK(line(5) == "5\r\n");
    CHECK(line(0x1a2b) == "1a2b\r\n");
    CHECK(line(no_limit) == "ffffffffffffffff\r\n");
    auto const bytes = line(5) + "abcde" + std::string{chunk_end} + std::string{last_chunk};
    CHECK(decode({bytes}).payload == "abcde");
    CHECK(decode({bytes}).rule == "complete");
}

} // namespace body
