// Fuzzes chunked bodies: the result must not depend on how the bytes arrive. The first byte selects
// the limit, the second where the bytes are split.
#include "check.h"

#include "gateway/http/body.h"
#include "gateway/http/rules.h"

#include <algorithm>
#include <limits>
#include <string>

namespace {

using namespace sallyport::http;
using sallyport::fuzz::check;
using sallyport::fuzz::Edge;

struct Decoded {
    std::string payload;
    std::string trailers;
    std::size_t consumed = 0;
    bool complete = false;
    Refused refused = nullptr;

    friend bool operator==(Decoded const&, Decoded const&) = default;
};

void feed(ChunkedReader& reader, std::string_view rest, Decoded& decoded) {
    while (!rest.empty() && !decoded.complete && !decoded.refused) {
        auto const step = reader.step(rest);
        check(step.consumed <= rest.size(), "no more is consumed than there is");
        check(step.consumed != 0, "a step goes on where bytes are left");
        check(step.payload.empty()
                  || (step.payload.data() >= rest.data()
                      && step.payload.data() + step.payload.size() <= rest.data() + step.consumed),
              "the payload lies in what was consumed");
        decoded.payload += step.payload;
        decoded.consumed += step.consumed;
        decoded.complete = step.complete;
        decoded.refused = step.refused;
        rest.remove_prefix(step.consumed);
    }
}

enum class Trailers : std::uint8_t { dropped, kept };

Decoded decode(std::string_view bytes, std::size_t piece, std::uint64_t limit,
               Trailers trailers = Trailers::kept) {
    Decoded decoded;
    decoded.trailers.reserve(ChunkedReader::max_trailers_size);
    auto const capacity = decoded.trailers.capacity();
    ChunkedReader reader{limit, Sender::client,
                         trailers == Trailers::kept ? &decoded.trailers : nullptr};
    Edge edge{std::min(piece, bytes.size())};
    for (std::size_t at = 0; at < bytes.size() && !decoded.complete && !decoded.refused;
         at += piece)
        feed(reader, edge.put(bytes.substr(at, piece)), decoded);
    check(decoded.trailers.capacity() == capacity, "trailers need no more memory");
    return decoded;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto bytes = sallyport::fuzz::view_of(data, size);
    auto const limit_byte = sallyport::fuzz::take_byte(bytes);
    auto const piece = 1U + sallyport::fuzz::take_byte(bytes);
    std::uint64_t const limit =
        limit_byte == 0xff ? std::numeric_limits<std::uint64_t>::max() : limit_byte * 16UL;
    auto const whole = decode(bytes, bytes.size() + 1, limit);
    check(decode(bytes, piece, limit) == whole, "the same in pieces");
    check(decode(bytes, 1, limit) == whole, "the same byte by byte");
    check(whole.payload.size() <= limit, "no more than the limit");
    auto const dropped = decode(bytes, piece, limit, Trailers::dropped);
    check(dropped.refused == whole.refused
              || (dropped.complete && whole.refused == &rules::shadowing_field_name.client),
          "trailers that are kept have to pass one more rule");
    check(dropped.trailers.empty() && dropped.payload == whole.payload, "else nothing differs");
    if (!whole.complete) return 0;
    // Written by the gateway, it is read as the same body.
    std::string written;
    if (!whole.payload.empty()) {
        written += ChunkSizeLine{whole.payload.size()};
        written += whole.payload;
        written += chunk_end;
    }
    written += last_chunk_line;
    written += whole.trailers;
    written += trailers_end;
    auto const again = decode(written, piece, limit);
    check(again.complete && again.payload == whole.payload && again.trailers == whole.trailers,
          "the same when written again");
    return 0;
}
