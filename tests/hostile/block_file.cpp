// Keywords, indented lines, names and escapes.
#include "tests/hostile/block_file.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace sallyport::test {
namespace {

[[noreturn]] void fail(std::string const& what, std::string_view where) {
    throw std::runtime_error(what + ": " + std::string{where});
}

std::size_t number_of(std::string_view digits, int base, std::string_view text) {
    std::size_t value = 0;
    auto const [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
        fail("a number was expected", text);
    return value;
}

// The text that replaces a name between braces.
std::string value_of(std::string_view name, Names const& names, std::string_view text) {
    constexpr std::string_view repeat = "repeat ";
    if (name.substr(0, repeat.size()) == repeat) {
        auto const rest = name.substr(repeat.size());
        auto const space = rest.find(' ');
        if (space == std::string_view::npos) fail("repeat needs a number and a text", text);
        auto const what = expand(rest.substr(space + 1), names);
        std::string repeated;
        for (auto left = number_of(rest.substr(0, space), 10, text); left > 0; --left)
            repeated += what;
        return repeated;
    }
    auto const found = names.find(name);
    if (found == names.end()) fail("unknown name {" + std::string{name} + "}", text);
    return found->second;
}

// The byte that the escape at `at` stands for; `at` becomes its last character.
char escaped(std::string_view text, std::size_t& at) {
    if (++at == text.size()) fail("a backslash at the end", text);
    switch (text[at]) {
    case 'r': return '\r';
    case 'n': return '\n';
    case 't': return '\t';
    case 's': return ' ';
    case '\\':
    case '{':
    case '}': return text[at];
    case 'x': break;
    default: fail("unknown escape", text);
    }
    auto const byte = number_of(text.substr(at + 1, 2), 16, text);
    at += 2;
    return static_cast<char>(byte);
}

// The end of the brace that opens at `at`; a repeated text may contain names itself.
std::size_t closing_brace(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    for (auto here = at; here < text.size(); ++here) {
        if (text[here] == '\\')
            ++here;
        else if (text[here] == '{')
            ++depth;
        else if (text[here] == '}' && --depth == 0)
            return here;
    }
    fail("a brace without its end", text);
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

} // namespace

std::vector<Block> read_blocks(std::filesystem::path const& file) {
    std::ifstream input{file};
    if (!input) fail("cannot read", file.string());
    std::vector<Block> blocks;
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) {
        auto const place = file.filename().string() + ":" + std::to_string(number);
        if (line.empty() || line.front() == '#') continue;
        bool const is_byte_line = line == "|" || line.substr(0, 2) == "| ";
        if (is_byte_line || line.substr(0, 2) == "  ") {
            if (blocks.empty()) fail("a line without a keyword above it", place);
            blocks.back().lines.push_back(line.size() < 2 ? "" : line.substr(2));
            continue;
        }
        if (!is_word(line.front())) fail("neither a keyword nor a line below one", place);
        auto const space = std::min(line.find(' '), line.size());
        blocks.push_back(
            {line.substr(0, space), space == line.size() ? "" : line.substr(space + 1), {}, place});
    }
    return blocks;
}

std::vector<std::filesystem::path> case_files(std::string_view folder) {
    auto const* root = std::getenv("SALLYPORT_HOSTILE_CASES");
    if (root == nullptr) throw std::runtime_error("SALLYPORT_HOSTILE_CASES names no folder");
    std::vector<std::filesystem::path> files;
    for (auto const& entry :
         std::filesystem::directory_iterator{std::filesystem::path{root} / folder})
        if (entry.path().extension() == ".cases") files.push_back(entry.path());
    if (files.empty()) fail("there is no file of cases", folder);
    std::sort(files.begin(), files.end());
    return files;
}

bool is_chosen(std::string_view name) {
    auto const* only = std::getenv("SALLYPORT_HOSTILE_ONLY");
    return only == nullptr || name.find(only) != std::string_view::npos;
}

std::string expand(std::string_view text, Names const& names) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') {
            result += escaped(text, at);
        } else if (text[at] == '{') {
            auto const end = closing_brace(text, at);
            result += value_of(text.substr(at + 1, end - at - 1), names, text);
            at = end;
        } else {
            result += text[at];
        }
    }
    return result;
}

std::string bytes_of(std::vector<std::string> const& lines, Names const& names) {
    std::string bytes;
    for (std::string_view line : lines) {
        bool const is_open = !line.empty() && line.back() == '\\'
                             && (line.size() == 1 || line[line.size() - 2] != '\\');
        if (is_open) line.remove_suffix(1);
        bytes += expand(line, names);
        if (!is_open) bytes += "\r\n";
    }
    return bytes;
}

} // namespace sallyport::test
