// What all streams have in common.
#include "gateway/net/stream.h"

namespace sallyport::net {

Task<Result<std::size_t>> Stream::read_some(std::span<char> into) {
    for (;;) {
        auto const got = try_read(into);
        if (got || got.error() != asio::error::would_block) co_return got;
        if (auto const error = co_await wait_readable()) co_return error;
    }
}

Task<Error> Stream::write(std::string_view piece) {
    co_return co_await write(std::span<std::string_view const>(&piece, 1));
}

} // namespace sallyport::net
