// Flow control, and what a client says of it by SETTINGS.
#include "gateway/http2/settings.h"
#include "gateway/http2/window.h"

#include "tests/unit/http2/client_frames.h"

#include <catch2/catch.hpp>

namespace window_test {

using namespace sallyport::http2;
using namespace sallyport::http2::test;

TEST_CASE("a window of 2^31-1 bytes is the largest that a client can open") {
    SendWindow window{10};
    CHECK(window.widen(0x7FFF'FFFF - 10) == WindowChange::done);
    CHECK(window.left() == 0x7FFF'FFFF);
    CHECK(window.widen(1) == WindowChange::overflow);
    CHECK(window.left() == 0x7FFF'FFFF);
    window.take(1);
    CHECK(window.widen(1) == WindowChange::done);
}

TEST_CASE("a smaller initial window may leave less than nothing, which later updates make up for") {
    SendWindow window{65'535};
    window.take(60'000);
    CHECK(window.change_initial(65'535, 0) == WindowChange::done);
    CHECK(window.left() == 0);
    CHECK(window.widen(60'000) == WindowChange::done);
    CHECK(window.left() == 0);
    CHECK(window.widen(7) == WindowChange::done);
    CHECK(window.left() == 7);
    CHECK(window.change_initial(0, 0x7FFF'FFFF) == WindowChange::overflow);
}

TEST_CASE("a client may send what it was promised, and not a byte more") {
    ReceiveWindow window{100};
    CHECK(window.take(100) == WindowChange::done);
    CHECK(window.take(1) == WindowChange::overflow);
    CHECK(window.take(0) == WindowChange::done);
    CHECK(window.take_increment() == 0);
    window.give_back(49);
    CHECK(window.take_increment() == 49); // less than a quarter is left
    CHECK(window.take(50) == WindowChange::overflow);
    CHECK(window.take(49) == WindowChange::done);
}

TEST_CASE("what is given back is promised again at half a window") {
    ReceiveWindow window{100};
    CHECK(window.take(49) == WindowChange::done);
    window.give_back(49);
    CHECK(window.take_increment() == 0);
    CHECK(window.take(1) == WindowChange::done);
    window.give_back(1);
    CHECK(window.take_increment() == 50);
    CHECK(window.left() == 100);
    CHECK(window.take_increment() == 0);
}

TEST_CASE("a client that has sent all that it knew it may is waiting for an update") {
    ReceiveWindow window{100};
    CHECK(window.take(99) == WindowChange::done);
    CHECK_FALSE(window.is_dry());
    CHECK(window.take(1) == WindowChange::done);
    CHECK(window.is_dry());
    window.give_back(100);
    CHECK(window.take_increment() == 100);
    CHECK(window.is_dry());
    window.resize(200);
    CHECK(window.take_increment() == 100);
    CHECK_FALSE(window.is_dry());
    CHECK(window.take(100) == WindowChange::done);
    CHECK(window.is_dry()); // the last increment may be on its way
}

TEST_CASE("a wider window is promised at once, a narrower one as bytes are given back") {
    ReceiveWindow window{100};
    CHECK(window.take(80) == WindowChange::done);
    window.resize(150);
    CHECK(window.take_increment() == 50);
    CHECK(window.left() == 70);
    window.resize(100);
    window.give_back(50);
    CHECK(window.take_increment() == 0);
    CHECK(window.take(60) == WindowChange::done);
    window.give_back(90);
    CHECK(window.take_increment() == 90);
    CHECK(window.left() == 100);
}

TEST_CASE("no window that we promise exceeds 2^31-1") {
    ReceiveWindow window{65'535};
    window.resize(std::int64_t{1} << 40);
    CHECK(window.size() == 0x7FFF'FFFF);
    CHECK(window.take_increment() == 0x7FFF'FFFF - 65'535);
    window.give_back(0xFFFF'FFFF);
    CHECK(window.take_increment() == 0);
}

TEST_CASE("settings of a client are applied in order, and wrong ones have the code of the RFC") {
    struct Row {
        std::string entries;
        ErrorCode error;
    };
    PeerSettings peer;
    CHECK(apply_settings(setting(4, 1) + setting(1, 0) + setting(4, 0x7FFF'FFFF) + setting(99, 7),
                         peer)
          == ErrorCode::no_error);
    CHECK(peer.initial_window_size == 0x7FFF'FFFF);
    CHECK(peer.smallest_table_size == 0);
    CHECK(apply_settings(setting(1, 100) + setting(1, 0) + setting(1, 4'096), peer)
          == ErrorCode::no_error);
    CHECK(peer.smallest_table_size == 0);
    CHECK(apply_settings(setting(1, 8'192), peer) == ErrorCode::no_error);
    CHECK(peer.smallest_table_size == 4'096);
    std::string most;
    for (int i = 0; i < 32; ++i)
        most += setting(4, 5);
    CHECK(apply_settings(most, peer) == ErrorCode::no_error);
    CHECK(peer.initial_window_size == 5);

    auto const row = GENERATE_COPY(values<Row>({
        {setting(4, 0x8000'0000), ErrorCode::flow_control_error},
        {setting(2, 2), ErrorCode::protocol_error},
        {setting(5, 16'383), ErrorCode::protocol_error},
        {setting(5, 0x0100'0000), ErrorCode::protocol_error},
        {setting(8, 2), ErrorCode::protocol_error},
        {setting(9, 2), ErrorCode::protocol_error},
        {most + setting(4, 5), ErrorCode::enhance_your_calm},
    }));
    CHECK(name_of(apply_settings(row.entries, peer)) == name_of(row.error));
}

} // namespace window_test
