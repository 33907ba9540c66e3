// The lines of one header block.
#include "gateway/http2/head_block.h"
#include "gateway/http2/hpack_decoder.h"
#include "gateway/http2/hpack_encoder.h"
#include "gateway/http2/request_head.h"

#include <catch2/catch.hpp>

#include <vector>

namespace head_block_test {

using namespace sallyport;

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

} // namespace head_block_test
