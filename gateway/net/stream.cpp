// What all streams have in common.
#include "gateway/net/stream.h"

namespace sallyport::net {

Task<Result<std::size_t>> Stream::read_some(std::span<char> into) {
    auto const got = try_read(into);
    if (got || got.error() != asio::error::would_block)
        return Task<Result<std::size_t>>::ended(got);
    return read_when_readable(into);
}

Task<Result<std::size_t>> Stream::read_when_readable(std::span<char> into) {
    for (;;) {
        if (auto const error = co_await wait_readable()) co_return error;
        auto const got = try_read(into);
        if (got || got.error() != asio::error::would_block) co_return got;
    }
}

Task<Error> Stream::write(std::string_view piece) {
    co_return co_await write(std::span<std::string_view const>(&piece, 1));
}

} // namespace sallyport::net
