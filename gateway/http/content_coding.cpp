// Parses Content-Encoding and inflates bodies within limits.
#include "gateway/http/content_coding.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace sallyport::http {

namespace {

constexpr auto client = Sender::client;

bool parse_coding(std::string_view name, ContentCoding& coding) noexcept {
    // RFC 9110, 8.4.1: names are case-insensitive. RFC 9110, 8.4.1.3: x-gzip is an equivalent of
    // gzip.
    if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip"))
        coding = ContentCoding::gzip;
    else if (equals_ignoring_case(name, "deflate"))
        coding = ContentCoding::deflate; // RFC 9110, 8.4.1.2
    else if (equals_ignoring_case(name, "identity"))
        coding = ContentCoding::identity;
    else
        return false;
    return true;
}

} // namespace

Refused parse_content_coding(FieldTable const& fields, ContentCoding& coding) noexcept {
    coding = ContentCoding::identity;
    if (!fields.has(FieldId::content_encoding)) return nullptr;
    std::size_t codings = 0;
    bool is_known = true;
    for (auto const field : fields) {
        if (field.id != FieldId::content_encoding) continue;
        for_each_element(field.value, [&](std::string_view name) {
            ++codings;
            is_known = is_known && parse_coding(name, coding);
            return true;
        });
    }
    // RFC 9110, 8.4: codings may be applied one after the other; only one is supported.
    if (codings != 1 || !is_known) return rules::unsupported_coding.broken_by(client);
    return nullptr;
}

struct ContentDecoder::State {
    State(ContentCoding coding, DecodeLimits const& decode_limits) : limits{decode_limits} {
        // RFC 1950 and 1952: a window of 32 KiB; adding 16 selects the gzip wrapper only. RFC 9110,
        // 8.4.1.2: deflate is in zlib's wrapper; bare deflate data are refused.
        constexpr int window = 15;
        int const window_bits = coding == ContentCoding::gzip ? window + 16 : window;
        if (inflateInit2(&stream, window_bits) != Z_OK) throw std::bad_alloc{};
    }
    ~State() { inflateEnd(&stream); }
    State(State const&) = delete;
    State& operator=(State const&) = delete;

    z_stream stream{};
    DecodeLimits limits;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    bool is_at_end = false;
    Refused refused = nullptr;
};

ContentDecoder::ContentDecoder(ContentCoding coding, DecodeLimits const& limits)
    : state_{std::make_unique<State>(coding, limits)} {}
ContentDecoder::~ContentDecoder() = default;
ContentDecoder::ContentDecoder(ContentDecoder&&) noexcept = default;
ContentDecoder& ContentDecoder::operator=(ContentDecoder&&) noexcept = default;

namespace {

constexpr std::size_t clamp_to_zlib(std::size_t size) noexcept {
    return std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
}

} // namespace

ContentDecoder::Step ContentDecoder::step(std::string_view input, std::span<char> output) noexcept {
    auto& state = *state_;
    if (state.refused) return {0, 0, state.refused};
    if (state.is_at_end) {
        // RFC 1952, 2.2 allows several members; only one is accepted, so that nothing is hidden.
        if (!input.empty()) state.refused = rules::bytes_behind_coding.broken_by(client);
        return {0, 0, state.refused};
    }
    auto& stream = state.stream;
    auto const offered = clamp_to_zlib(input.size());
    auto const room = clamp_to_zlib(output.size());
    stream.next_in = reinterpret_cast<Bytef const*>(input.data());
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(room);
    int const result = inflate(&stream, Z_NO_FLUSH);
    Step step{offered - stream.avail_in, room - stream.avail_out, nullptr};
    state.bytes_in += step.consumed;
    state.bytes_out += step.produced;
    state.is_at_end = result == Z_STREAM_END;
    // Z_BUF_ERROR: no progress was possible; more input or room is needed.
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        state.refused = rules::malformed_coding.broken_by(client);
    else if (state.bytes_out > state.limits.size)
        state.refused = rules::decoded_too_large.broken_by(client);
    else if (state.bytes_out > state.limits.allowance
             && state.bytes_out / state.limits.ratio > state.bytes_in)
        state.refused = rules::coding_ratio.broken_by(client);
    step.refused = state.refused;
    return step;
}

Refused ContentDecoder::finish() const noexcept {
    if (state_->refused) return state_->refused;
    return state_->is_at_end ? nullptr : rules::incomplete_coding.broken_by(client);
}

} // namespace sallyport::http
