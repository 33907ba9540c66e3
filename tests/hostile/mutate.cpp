// Changes that leave most of a request unchanged, so that many of them are accepted.
#include "tests/hostile/mutate.h"

#include <array>
#include <string_view>

namespace sallyport::test {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t longest = 4096;

// Texts on which parsers of HTTP are known to differ.
constexpr std::array words{
    "\r\n"sv,
    "\r"sv,
    "\n"sv,
    " "sv,
    "\t"sv,
    "\v"sv,
    "\f"sv,
    "\0"sv,
    "\x1f"sv,
    "\x7f"sv,
    "\x80"sv,
    "\x85"sv,
    "\xa0"sv,
    "\xff"sv,
    "\xc3\xa9"sv,
    ":"sv,
    ": "sv,
    " :"sv,
    ","sv,
    ";"sv,
    "\""sv,
    "\\"sv,
    "\\\""sv,
    "="sv,
    "%00"sv,
    "%2f"sv,
    "?"sv,
    "#"sv,
    "/"sv,
    "//"sv,
    "@"sv,
    "*"sv,
    "|"sv,
    "0"sv,
    "00"sv,
    "0x"sv,
    "1"sv,
    "a"sv,
    "A"sv,
    "+"sv,
    "-"sv,
    "_"sv,
    "."sv,
    "'"sv,
    "<"sv,
    "{"sv,
    "ffffffffffffffff"sv,
    "0000000000000000"sv,
    "18446744073709551616"sv,
    ";a"sv,
    ";a=b"sv,
    ";a=\"b\""sv,
    ";a=\"\\\"\""sv,
    "; a = b"sv,
    ";"sv,
    ";;"sv,
    ";="sv,
    "chunked"sv,
    "Chunked"sv,
    "identity"sv,
    "gzip, chunked"sv,
    "chunked, chunked"sv,
    "Transfer-Encoding: chunked\r\n"sv,
    "Transfer-Encoding : chunked\r\n"sv,
    "Transfer_Encoding: chunked\r\n"sv,
    "Content-Length: 5\r\n"sv,
    "Content-Length: 0\r\n"sv,
    "Content-Length:\t7\r\n"sv,
    "Connection: close\r\n"sv,
    "Connection: keep-alive\r\n"sv,
    "Connection: upgrade\r\nUpgrade: websocket\r\n"sv,
    "Connection: upgrade, HTTP2-Settings\r\n"sv,
    "Upgrade: h2c\r\n"sv,
    "Connection: Transfer-Encoding\r\n"sv,
    "Connection: Content-Length\r\n"sv,
    "Connection: ,\r\n"sv,
    "Connection:\r\n"sv,
    "Proxy-Connection: close\r\n"sv,
    "Keep-Alive: 1\r\n"sv,
    "Expect: 100-continue\r\n"sv,
    "TE: trailers\r\n"sv,
    "Trailer: X\r\n"sv,
    "X: y\r\n"sv,
    "X:\r\n"sv,
    "X: \t \r\n"sv,
    "X: a \xe9 \tb\t\r\n"sv,
    "!#$%&'*+.^_`|~: token\r\n"sv,
    "0\r\n\r\n"sv,
    "HTTP/1.0"sv,
    "HTTP/1.1"sv,
    "HTTP/2.0"sv,
    "http://localhost/"sv,
    "PRI * HTTP/2.0\r\n\r\n"sv,
    "GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n"sv,
    "QUERY"sv,
    "get"sv,
    "M-SEARCH"sv,
    "SOURCE"sv,
};

class Chance {
public:
    explicit Chance(std::mt19937_64& random) : random_(random) {}
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
    template <class Container>
    auto const& one_of(Container const& container) {
        return container[below(container.size())];
    }

private:
    std::mt19937_64& random_;
};

// The begin and the end of a line.
std::pair<std::size_t, std::size_t> some_line(std::string const& text, Chance& chance) {
    auto const at = chance.below(text.size());
    auto const before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    auto const begin = before == std::string::npos ? 0 : before + 1;
    return {begin, std::min(text.find('\n', at), text.size() - 1) + 1};
}

void change(std::string& text, std::vector<std::string> const& seeds, Chance& chance) {
    if (text.empty()) text = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    auto const at = chance.below(text.size());
    auto const [begin, end] = some_line(text, chance);
    auto const line = text.substr(begin, end - begin);
    switch (chance.below(9)) {
    case 0: text[at] = static_cast<char>(chance.below(256)); return;
    case 1: text[at] = static_cast<char>(text[at] ^ (1 << chance.below(8))); return;
    case 2: text.erase(at, 1 + chance.below(4)); return;
    case 3: text.insert(at, chance.one_of(words)); return;
    case 4:
        text.replace(at, std::min<std::size_t>(2, text.size() - at), chance.one_of(words));
        return;
    case 5: text.insert(begin, chance.one_of(words)); return; // in front of a line
    case 6: text.insert(begin, line); return;                 // a line twice
    case 7: text.erase(begin, end - begin); return;
    default: text += chance.one_of(seeds); return;
    }
}

} // namespace

std::string mutate(std::vector<std::string> const& seeds, std::mt19937_64& random) {
    Chance chance{random};
    auto text = chance.one_of(seeds);
    for (auto left = 1 + chance.below(4); left > 0; --left)
        change(text, seeds, chance);
    if (text.size() > longest) text.resize(longest);
    return text;
}

} // namespace sallyport::test
