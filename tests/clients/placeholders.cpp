// The table of words; README.md has the same for people.
#include "tests/clients/placeholders.h"

#include "tests/clients/callers.h"
#include "tests/support/encodings.h"

#include <charconv>
#include <stdexcept>
#include <vector>

namespace sallyport::test {
namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        auto const end = text.find(' ');
        if (end != 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return words;
}

unsigned number(std::string_view text, int base) {
    unsigned value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::runtime_error("not a number: " + std::string{text});
    return value;
}

std::string value_of(std::string_view expression, PlaceholderValues const& values) {
    auto const words = words_of(expression);
    auto const is = [&](std::string_view name, std::size_t count) {
        return words.size() == count && words[0] == name;
    };
    if (is("host", 1)) return values.host;
    if (is("length", 1) && !values.length.empty()) return values.length;
    if (is("organization", 1)) return std::string{sandbox_organization};
    if (is("service", 1)) return std::string{sandbox_service};
    if (is("pipe", 1)) return std::string{sandbox_pipe};
    if (is("dashboard", 1)) return std::string{sandbox_dashboard};
    if (is("source", 1)) return std::string{sandbox_source};
    if (is("basic", 2)) return basic(key_of(words[1]));
    if (is("base64", 2)) return base64(words[1]);
    if (is("token", 2)) return std::string{token_of(words[1])};
    if (is("cr", 1)) return "\r";
    if (is("lf", 1)) return "\n";
    if (is("crlf", 1)) return "\r\n";
    if (is("space", 1)) return " ";
    if (is("tab", 1)) return "\t";
    std::string bytes;
    if (is("repeat", 3)) {
        for (auto left = number(words[1], 10); left > 0; --left)
            bytes += words[2];
        return bytes;
    }
    if (words.size() > 1 && words[0] == "bytes") {
        for (std::size_t index = 1; index < words.size(); ++index)
            bytes += static_cast<char>(number(words[index], 16));
        return bytes;
    }
    throw std::runtime_error("{{" + std::string{expression} + "}} means nothing");
}

} // namespace

std::string replace_placeholders(std::string_view text, PlaceholderValues const& values) {
    std::string result;
    for (;;) {
        auto const begin = text.find("{{");
        result += text.substr(0, begin);
        if (begin == std::string_view::npos) return result;
        auto const end = text.find("}}", begin);
        if (end == std::string_view::npos)
            throw std::runtime_error("{{ without an end: " + std::string{text.substr(begin)});
        result += value_of(text.substr(begin + 2, end - begin - 2), values);
        text.remove_prefix(end + 2);
    }
}

} // namespace sallyport::test
