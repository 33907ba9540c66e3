// Buffers: size classes, reuse, the limit of the cache.
#include "gateway/net/buffers.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <malloc.h>
#include <memory>
#include <vector>

namespace buffers_test {

using namespace sallyport::net;

TEST_CASE("blocks returned beyond the cache limit are freed") {
    Buffers buffers(8 << 10);
    auto first = buffers.take(4 << 10);
    auto second = buffers.take(4 << 10);
    auto third = buffers.take(4 << 10);
    CHECK(buffers.in_use() == 3);
    first.release();
    second.release();
    third.release();
    CHECK(buffers.cached_bytes() == 8 << 10);
    CHECK(buffers.in_use() == 0);
}

TEST_CASE("trimming frees only blocks that were not needed since the last call") {
    Buffers buffers;
    {
        auto const small = buffers.take(4 << 10);
        auto const large = buffers.take(64 << 10);
        auto const other = buffers.take(64 << 10);
    }
    constexpr std::size_t all = (4 << 10) + 2 * (64 << 10);
    CHECK(buffers.cached_bytes() == all);
    // All blocks were returned since the last call: they were needed.
    CHECK(buffers.trim() == 0);
    CHECK(buffers.cached_bytes() == all);
    { auto const needed = buffers.take(64 << 10); }
    CHECK(buffers.trim() == (4 << 10) + (64 << 10));
    CHECK(buffers.cached_bytes() == 64 << 10);
    CHECK(buffers.trim() == 64 << 10);
    CHECK(buffers.cached_bytes() == 0);
    CHECK(buffers.trim() == 0);
}

TEST_CASE("a block larger than the largest class is as large as requested and is not kept") {
    Buffers buffers;
    {
        auto const buffer = buffers.take((1 << 20) + 1);
        CHECK(buffer.capacity() == (1 << 20) + 1);
    }
    CHECK(buffers.cached_bytes() == 0);
    CHECK_THROWS_AS(buffers.take(SIZE_MAX), std::bad_alloc);
}

TEST_CASE("sizes are rounded up to their class") {
    Buffers buffers;
    for (auto const size : Buffers::sizes) {
        CHECK(buffers.take(size).capacity() == size);
        CHECK(buffers.take(size - 1).capacity() == size);
    }
    CHECK(buffers.take(0).capacity() == Buffers::sizes.front());
}

TEST_CASE("every block has slack behind its usable bytes") {
    Buffers buffers;
    for (std::size_t const size : {std::size_t{4096}, std::size_t{5000000}}) {
        auto buffer = buffers.take(size);
        std::memset(buffer.data(), 'x', buffer.capacity() + Buffer::slack);
        CHECK(buffer.data()[buffer.capacity() + Buffer::slack - 1] == 'x');
    }
}

TEST_CASE("a returned block is the next one taken") {
    Buffers buffers;
    auto buffer = buffers.take(100);
    char const* const where = buffer.data();
    buffer.release();
    CHECK_FALSE(buffer);
    CHECK(buffers.cached_bytes() == 4096);
    auto const again = buffers.take(200);
    CHECK(again.data() == where);
    CHECK(buffers.cached_bytes() == 0);
}

TEST_CASE("a buffer that grows keeps its bytes and returns the smaller block") {
    Buffers buffers;
    auto buffer = buffers.take(10);
    std::memcpy(buffer.data(), "sallyport", 9);
    char const* const where = buffer.data();
    buffer.grow(4096, 9);
    CHECK(buffer.data() == where);
    buffer.grow(4097, 9);
    CHECK(buffer.capacity() == 16 << 10);
    CHECK(buffer.view(9) == "sallyport");
    CHECK(buffers.cached_bytes() == 4096);
    CHECK(buffers.in_use() == 1);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("blocks of several sizes are returned to their free lists") {
    Buffers buffers{0}; // each is freed when it is returned
    constexpr std::size_t size = 64 << 10;
    std::vector<std::unique_ptr<char[]>> others;
    auto const heap = [] { return ::mallinfo2().arena; };
    auto const turn = [&] {
        auto const block = buffers.take(size);
        // Smaller blocks in between stay there.
        for (std::size_t small = 24; small < 100; small += 16)
            others.push_back(std::make_unique<char[]>(small));
    };
    for (int i = 0; i < 10; ++i)
        turn();
    auto const before = heap();
    for (int i = 0; i < 1000; ++i)
        turn();
    CHECK(heap() < before + 10 * size);
}
#endif

} // namespace buffers_test
