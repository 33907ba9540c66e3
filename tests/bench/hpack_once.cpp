// Decodes the head of a request, or encodes that of a response, a given number of times, with ours
// or with nghttp2: for tests/bench/hpack_instructions.
#include "gateway/http/head.h"
#include "gateway/http2/hpack_decoder.h"
#include "gateway/http2/hpack_encoder.h"
#include "gateway/http2/request_head.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace sallyport;

using Fields = std::vector<std::pair<std::string, std::string>>;

// As h2load sends them for the workloads of tests/bench/peers.
Fields get_request() {
    return {{":method", "GET"},
            {":path", "/api/v1/backups?limit=20"},
            {":scheme", "https"},
            {":authority", "gateway.example.com:8443"},
            {"user-agent", "h2load nghttp2/1.52.0"},
            {"accept", "application/json"},
            {"authorization", "Basic cmVhZGVyOnJlYWRlci1zZWNyZXQtMQ=="}};
}

Fields put_request() {
    auto fields = get_request();
    fields[0].second = "PUT";
    fields[1].second = "/api/v1/services/81f0c9ae/settings";
    fields.emplace_back("content-type", "application/json");
    fields.emplace_back("content-length", "451");
    return fields;
}

nghttp2_nv to_nv(std::string const& name, std::string const& value) {
    // It does not write to what it gets.
    auto const bytes = [](std::string const& text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

struct Deflater {
    nghttp2_hd_deflater* deflater = nullptr;

    Deflater() {
        if (nghttp2_hd_deflate_new(&deflater, 4096) != 0) std::abort();
    }
    ~Deflater() { nghttp2_hd_deflate_del(deflater); }
    Deflater(Deflater const&) = delete;
    Deflater& operator=(Deflater const&) = delete;

    std::string deflate(Fields const& fields) const {
        std::vector<nghttp2_nv> all;
        for (auto const& [name, value] : fields)
            all.push_back(to_nv(name, value));
        std::string block(4096, '\0');
        auto const size =
            nghttp2_hd_deflate_hd(deflater, reinterpret_cast<std::uint8_t*>(block.data()),
                                  block.size(), all.data(), all.size());
        if (size < 0) std::abort();
        block.resize(static_cast<std::size_t>(size));
        return block;
    }
};

// The first block of a connection, and every later one of the same request.
struct Blocks {
    std::string first;
    std::string later;

    explicit Blocks(Fields const& fields) {
        Deflater const deflater;
        first = deflater.deflate(fields);
        later = deflater.deflate(fields);
    }
};

enum class Judged { no, yes };

struct Ours {
    http::HeadLimits limits;
    http2::HpackDecoder decoder;
    std::vector<char> memory = std::vector<char>(http2::HeadBlock::memory_for(limits));
    std::vector<char> stored = std::vector<char>(16 * 1024);
    http::RequestHead head;

    bool take(std::string_view block, Judged judged) {
        http2::HeadBlock lines{memory, limits};
        if (decoder.decode(block, lines) != http2::HpackError::none) return false;
        if (judged == Judged::no) return lines.refused() == nullptr;
        auto const kept = lines.store(stored.data());
        return http2::read_request_head(kept, http2::StreamEnd::open, limits, head) == nullptr;
    }
};

bool decode_ours(Blocks const& blocks, Judged judged, int count) {
    Ours ours;
    bool is_good = ours.take(blocks.first, judged);
    for (int i = 0; i < count; ++i)
        is_good = ours.take(blocks.later, judged) && is_good;
    return is_good;
}

bool inflate(nghttp2_hd_inflater* inflater, std::string_view block) {
    auto const* at = reinterpret_cast<std::uint8_t const*>(block.data());
    auto left = block.size();
    int flags = 0;
    while ((flags & NGHTTP2_HD_INFLATE_FINAL) == 0) {
        nghttp2_nv field{};
        auto const used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, left, 1);
        if (used < 0) return false;
        at += used;
        left -= static_cast<std::size_t>(used);
    }
    return nghttp2_hd_inflate_end_headers(inflater) == 0;
}

bool decode_nghttp2(Blocks const& blocks, int count) {
    nghttp2_hd_inflater* inflater = nullptr;
    if (nghttp2_hd_inflate_new(&inflater) != 0) return false;
    bool is_good = inflate(inflater, blocks.first);
    for (int i = 0; i < count; ++i)
        is_good = inflate(inflater, blocks.later) && is_good;
    nghttp2_hd_inflate_del(inflater);
    return is_good;
}

// As an upstream's response is relayed, and as the gateway refuses a request.
bool encode(bool is_relayed, int count) {
    std::string_view const lines = "Server: nginx\r\nDate: Thu, 26 Nov 2026 12:00:00 GMT\r\n"
                                   "Content-Type: application/json\r\nCache-Control: no-store\r\n"
                                   "X-Content-Type-Options: nosniff\r\n";
    http::AddedField const id{"X-Request-Id", "01JDN2T8Y3T4N5V6W7X8Y9Z0AB"};
    std::vector<http::AddedField> const refusal{{"Date", "Thu, 26 Nov 2026 12:00:00 GMT"},
                                                {"Content-Type", "application/problem+json"},
                                                {"Cache-Control", "no-store"},
                                                id,
                                                {"WWW-Authenticate", "Basic realm=\"gateway\""}};
    http::OutgoingHead head;
    if (is_relayed) {
        head.status = 200;
        head.kept = {&lines, 1};
        head.added = {&id, 1};
    } else {
        head.status = 401;
        head.added = refusal;
    }
    head.length = 512;
    std::vector<char> block(http2::most_block_size(head));
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) {
        if (http2::most_block_size(head) > block.size()) return false;
        size += http2::encode_head(head, block.data());
    }
    return size != 0;
}

bool run(std::string_view name, int count) {
    Blocks const get{get_request()};
    Blocks const put{put_request()};
    if (name == "get") return decode_ours(get, Judged::yes, count);
    if (name == "put") return decode_ours(put, Judged::yes, count);
    if (name == "decode/get") return decode_ours(get, Judged::no, count);
    if (name == "decode/put") return decode_ours(put, Judged::no, count);
    if (name == "nghttp2/get") return decode_nghttp2(get, count);
    if (name == "nghttp2/put") return decode_nghttp2(put, count);
    if (name == "response") return encode(true, count);
    if (name == "refusal") return encode(false, count);
    std::fprintf(stderr, "no such case: %s\n", std::string{name}.c_str());
    return false;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("bench_hpack CASE COUNT\n", stderr);
        return 2;
    }
    return run(argv[1], std::atoi(argv[2])) ? 0 : 1;
}
