// Frames as the gateway writes them.
#include "gateway/http2/frame_writer.h"

#include "tests/unit/http2/client_frames.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

namespace frame_writer_test {

using namespace sallyport::http2;
using namespace sallyport::http2::test;
using sallyport::http::Ends;

namespace {

template <class Put>
std::string written(Put put) {
    std::string bytes(100'000, '\0');
    auto* const end = put(bytes.data());
    bytes.resize(static_cast<std::size_t>(end - bytes.data()));
    return bytes;
}

} // namespace

TEST_CASE("control frames are written as the RFC lays them out") {
    std::array<Setting, 2> const entries{
        {{SettingId::max_concurrent_streams, 100}, {SettingId::no_rfc7540_priorities, 1}}};
    CHECK(written([&](char* to) { return put_settings(to, entries); })
          == settings(setting(3, 100) + setting(9, 1)));
    CHECK(written([](char* to) { return put_settings_ack(to); }) == settings_ack());
    CHECK(written([](char* to) { return put_ping(to, "abcdefgh", Ping::request); })
          == ping("abcdefgh"));
    CHECK(written([](char* to) { return put_ping(to, "abcdefgh", Ping::ack); })
          == ping("abcdefgh", flag::ack));
    CHECK(written(
              [](char* to) { return put_goaway(to, most_stream_id, ErrorCode::enhance_your_calm); })
          == goaway(0x7FFF'FFFF, 11));
    CHECK(written([](char* to) { return put_reset(to, 5, ErrorCode::cancel); }) == reset(5, 8));
    CHECK(written([](char* to) { return put_window_update(to, 7, 0x12345678); })
          == window_update(7, 0x12345678));
}

TEST_CASE("a header block is cut into frames of 16,384 bytes") {
    auto const size = GENERATE(as<std::size_t>{}, 0, 1, 16'383, 16'384, 16'385, 32'768, 40'000);
    auto const ends = GENERATE(Ends::no, Ends::yes);
    CAPTURE(size);
    std::string block;
    for (std::size_t i = 0; i < size; ++i)
        block += static_cast<char>('a' + i % 26);
    auto const bytes = written([&](char* to) {
        block.copy(to + frame_head_size, size);
        return put_head_frames(to, 3, size, ends);
    });
    CHECK(bytes.size() == size + size_of_head_frames(size));
    std::string expected;
    std::string_view rest = block;
    do {
        auto const part = rest.substr(0, 16'384);
        rest.remove_prefix(part.size());
        unsigned const end = rest.empty() ? flag::end_headers : 0;
        expected += expected.empty()
                        ? headers(3, part, end | (ends == Ends::yes ? flag::end_stream : 0U))
                        : continuation(3, part, end);
    } while (!rest.empty());
    CHECK((bytes == expected));
}

TEST_CASE("DATA is written with its head, and may be empty at the end") {
    CHECK(written([](char* to) { return put_data(to, 9, "bytes", Ends::no); }) == data(9, "bytes"));
    CHECK(written([](char* to) { return put_data(to, 9, {}, Ends::yes); })
          == data(9, "", flag::end_stream));
}

} // namespace frame_writer_test
