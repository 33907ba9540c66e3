// Fuzzes the content decoder: limits are respected, and the result depends neither on pieces nor on
// room. The first byte selects the coding, the second the size of pieces, the third that of the
// room.
#include "check.h"

#include "gateway/http/content_coding.h"

#include <algorithm>
#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Edge;

struct Decoded {
    std::string text;
    Refused refused = nullptr;
};

constexpr DecodeLimits limits{64UL * 1024, 20, 4UL * 1024};

Decoded decode(ContentCoding coding, std::string_view bytes, std::size_t piece_size,
               std::size_t room_size) {
    static Edge room_edge{limits.size + 1};
    ContentDecoder decoder{coding, limits};
    Decoded decoded;
    Edge piece_edge{std::min(piece_size, bytes.size())};
    auto const room = room_edge.room(room_size);
    for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
        auto rest = piece_edge.put(bytes.substr(at, piece_size));
        while (true) {
            auto const step = decoder.step(rest, room);
            check(step.consumed <= rest.size() && step.produced <= room_size, "within its bounds");
            decoded.text.append(room.data(), step.produced);
            rest.remove_prefix(step.consumed);
            decoded.refused = step.refused;
            if (step.refused) return decoded;
            if (rest.empty() && step.produced < room_size) break;
            check(step.consumed + step.produced != 0, "a step goes on where it can");
        }
    }
    decoded.refused = decoder.finish();
    return decoded;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto bytes = sallyport::fuzz::view_of(data, size);
    auto const coding =
        sallyport::fuzz::take_byte(bytes) % 2 == 0 ? ContentCoding::gzip : ContentCoding::deflate;
    std::size_t const piece = 1U + sallyport::fuzz::take_byte(bytes);
    std::size_t const room = 1U + sallyport::fuzz::take_byte(bytes);
    auto const whole = decode(coding, bytes, bytes.size() + 1, limits.size + 1);
    auto const pieces = decode(coding, bytes, piece, room);
    check(pieces.text.size() <= limits.size + room, "no more than the limit and one room");
    if (whole.refused) {
        check(pieces.refused != nullptr, "what is refused whole is refused in pieces");
        return 0;
    }
    if (pieces.refused) {
        // The ratio is checked after each piece: a beginning may be denser than the whole.
        check(pieces.refused->rule == "coding_ratio", "pieces make no other fault");
        return 0;
    }
    check(pieces.text == whole.text, "the same in pieces");
    check(whole.text.size() <= limits.size, "no more than the limit");
    return 0;
}
