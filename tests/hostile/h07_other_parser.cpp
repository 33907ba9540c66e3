// Another parser, Node's llhttp, finds the same requests in every stream that ours accepts.
#include "tests/hostile/corpus_streams.h"
#include "tests/hostile/mutate.h"
#include "tests/hostile/reading.h"
#include "tests/hostile/wire_stage.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

namespace h07_other_parser {

using namespace sallyport::test;

namespace {

// Whether this machine has Node; reports it otherwise.
bool has_node() {
    if (!find_program("node").empty()) return true;
    if (std::getenv("SALLYPORT_CLIENTS_REQUIRED") != nullptr) FAIL("this machine has no node");
    WARN("skipped: this machine has no node");
    return false;
}

// Before version 20 it refuses the same streams with other error codes, or without one.
bool is_older_node() {
    static auto const version = run({{"node", "--version"}}).output; // "v20.20.2\n"
    return std::stoi(version.substr(1)) < 20;
}

std::uint64_t number_of(char const* variable, std::uint64_t otherwise) {
    auto const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The bytes of the cases, and the corpora of heads, chunks and targets as requests.
std::vector<std::string> seeds() {
    std::vector<std::string> all;
    for (auto const* const folder : {"framing", "fields", "paths"})
        for (auto& one : wire_cases(folder))
            all.push_back(std::move(one.bytes));
    for (auto& stream : corpus_streams())
        all.push_back(std::move(stream));
    return all;
}

// A request that our parser accepts and Node refuses, and those before it.
struct Refused {
    ReadRequest const& request;
    std::string_view bytes; // of the request
    std::span<ReadRequest const> earlier;

    [[nodiscard]] ReadRequest const* before() const {
        return earlier.empty() ? nullptr : &earlier.back();
    }
};

bool has_trailer(ReadRequest const& request, std::string_view name) {
    return std::any_of(request.trailers.begin(), request.trailers.end(), [&](auto const& trailer) {
        return equal_ignoring_case(trailer.first, name);
    });
}

bool has_field(ReadRequest const& request, std::string_view name) {
    return std::any_of(request.fields.begin(), request.fields.end(),
                       [&](auto const& field) { return equal_ignoring_case(field.first, name); });
}

// A line of that field that ends in white space.
bool has_space_after(std::string_view bytes, std::string_view name) {
    auto const head = bytes.substr(0, bytes.find("\r\n\r\n") + 2);
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
        auto const end = head.find("\r\n", at);
        auto const line = head.substr(at, end - at);
        if (equal_ignoring_case(line.substr(0, name.size()), name)
            && (line.back() == ' ' || line.back() == '\t'))
            return true;
        at = end + 2;
    }
    return false;
}

bool has_space_in_extension(Refused const& refused) {
    constexpr std::array spaces{" ;", "\t;", "; ", ";\t", " =", "\t=", "= ", "=\t"};
    return std::any_of(spaces.begin(), spaces.end(), [&](char const* space) {
        return refused.bytes.find(space) != std::string_view::npos;
    });
}

// Why Node refuses a request that our parser accepts. None can be read as another request: Node
// ends the connection there, and the gateway forwards a newly written head without any of this.
struct Stricter {
    char const* what;
    char const* error; // Node 20's
    bool (*is_it)(Refused const&);
};

constexpr std::array stricter{
    // RFC 9110, 9.1: a method is any token; the contract of an API lists its methods.
    Stricter{
        "a method that is not on its list", "HPE_INVALID_METHOD",
        [](Refused const& refused) {
            constexpr std::array known{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
            return std::find(known.begin(), known.end(), refused.request.method) == known.end();
        }},
    // RFC 9112, 7.1.1: bad white space, which a recipient "MUST parse" and remove.
    Stricter{"white space before a chunk extension", "HPE_INVALID_CHUNK_SIZE",
             has_space_in_extension},
    Stricter{"white space within a chunk extension", "HPE_STRICT", has_space_in_extension},
    // RFC 9110, 5.5: white space after a value is not part of it.
    Stricter{
        "white space after a length", "HPE_INVALID_CONTENT_LENGTH",
        [](Refused const& refused) { return has_space_after(refused.bytes, "Content-Length"); }},
    Stricter{
        "white space after a coding", "HPE_INVALID_TRANSFER_ENCODING",
        [](Refused const& refused) { return has_space_after(refused.bytes, "Transfer-Encoding"); }},
    // RFC 9110, 6.5.1: trailers are dropped here, whatever their names; llhttp reads them like
    // fields of the head, and so as a second framing.
    Stricter{"a trailer with the name of a length", "HPE_INVALID_CONTENT_LENGTH",
             [](Refused const& refused) {
                 // An older one continues with that length, and refuses a later request.
                 return has_trailer(refused.request, "Content-Length")
                        || std::any_of(
                            refused.earlier.begin(), refused.earlier.end(),
                            [](auto const& one) { return has_trailer(one, "Content-Length"); });
             }},
    Stricter{
        "a trailer with the name of a coding", "HPE_INVALID_TRANSFER_ENCODING",
        [](Refused const& refused) { return has_trailer(refused.request, "Transfer-Encoding"); }},
    Stricter{"a request after a trailer Connection: close", "HPE_CLOSED_CONNECTION",
             [](Refused const& refused) {
                 return refused.before() != nullptr && has_trailer(*refused.before(), "Connection");
             }},
    // RFC 9112, 9.3: Proxy-Connection has no meaning; it is dropped.
    Stricter{"a request after Proxy-Connection: close", "HPE_CLOSED_CONNECTION",
             [](Refused const& refused) {
                 return refused.before() != nullptr
                        && (has_field(*refused.before(), "Proxy-Connection")
                            || has_trailer(*refused.before(), "Proxy-Connection"));
             }},
    // RFC 9110, 7.8: a server may ignore Upgrade; the connection then continues.
    Stricter{"a request after one with an upgrade", "",
             [](Refused const& refused) {
                 return refused.before() != nullptr && has_field(*refused.before(), "Upgrade")
                        && has_field(*refused.before(), "Connection");
             }},
};

struct Counts {
    std::size_t streams = 0;
    std::size_t requests = 0;
    std::map<std::string, std::size_t> stricter;
};

// For the output of a failure, control characters included.
std::string visible(std::string_view bytes) {
    std::string text;
    for (char const c : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        auto const byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f)
            text += c;
        else
            text.append("\\x").append(1, digits[byte / 16]).append(1, digits[byte % 16]);
        if (c == '\n') text += '\n';
    }
    return text;
}

void compare(std::string const& stream, OurReading const& ours, OtherReading const& node,
             Counts& counts) {
    auto const common = std::min(ours.requests.size(), node.requests.size());
    for (std::size_t i = 0; i < common; ++i) {
        auto const& one = ours.requests[i];
        auto const& other = node.requests[i];
        ++counts.requests;
        if (one == other) continue;
        INFO(visible(stream));
        CAPTURE(i);
        CHECK(one.method == other.method);
        CHECK(one.target == other.target);
        CHECK(one.version == other.version);
        CHECK(one.fields == other.fields);
        CHECK(one.body == other.body);
        CHECK(one.trailers == other.trailers);
        return;
    }
    if (node.requests.size() == ours.requests.size() && node.error.empty()) return;
    INFO(visible(stream));
    CAPTURE(node.error, ours.requests.size(), node.requests.size());
    if (common == ours.requests.size()) {
        FAIL_CHECK("Node reads more requests, or an error, after those that our parser read");
        return;
    }
    auto const begin = common == 0 ? 0 : ours.ends[common - 1];
    Refused const refused{ours.requests[common],
                          std::string_view{stream}.substr(begin, ours.ends[common] - begin),
                          std::span{ours.requests}.first(common)};
    // Node reports no error for a request with an upgrade: it waits forever.
    bool const is_silent = node.error == "no end" && has_field(refused.request, "Upgrade");
    auto const found = std::find_if(stricter.begin(), stricter.end(), [&](Stricter const& one) {
        bool const fits = node.error == one.error || is_silent || is_older_node();
        return fits && one.is_it(refused);
    });
    if (found == stricter.end())
        FAIL_CHECK("Node refuses a request that our parser accepts, and no row has the reason");
    else
        ++counts.stricter[found->what];
}

Counts compare_all(std::vector<std::string> const& streams) {
    std::vector<OurReading> ours;
    std::vector<std::string> accepted;
    for (auto const& stream : streams) {
        auto reading = read_with_our_parser(stream);
        if (reading.requests.empty()) continue;
        accepted.push_back(stream.substr(0, reading.size));
        ours.push_back(std::move(reading));
    }
    auto const node = read_with_node(accepted);
    Counts counts;
    counts.streams = accepted.size();
    for (std::size_t i = 0; i < accepted.size(); ++i)
        compare(accepted[i], ours[i], node[i], counts);
    return counts;
}

} // namespace

TEST_CASE("Node reads the cases and the corpora like our parser") {
    if (!has_node()) return;
    auto const counts = compare_all(seeds());
    CHECK(counts.streams > 400);
    CHECK(counts.requests > counts.streams); // most contain a second one
    if (is_older_node()) return;
    // A row that no case needs is obsolete.
    for (auto const& row : stricter) {
        CAPTURE(row.what);
        CHECK(counts.stricter.count(row.what) == 1);
    }
}

TEST_CASE("Node reads random streams made from these like our parser") {
    if (!has_node()) return;
    auto const from = seeds();
    std::vector<std::string> valid;
    std::copy_if(
        from.begin(), from.end(), std::back_inserter(valid),
        [](std::string const& stream) { return !read_with_our_parser(stream).requests.empty(); });
    std::mt19937_64 random{number_of("SALLYPORT_HOSTILE_SEED", 1)};
    auto const count = number_of("SALLYPORT_HOSTILE_STREAMS", 60'000);
    std::vector<std::string> streams;
    while (streams.size() < count)
        streams.push_back(mutate(random() % 8 == 0 ? from : valid, random));
    auto const counts = compare_all(streams);
    INFO(counts.streams << " streams, " << counts.requests << " requests");
    CHECK(counts.streams > count / 4);
}

} // namespace h07_other_parser
