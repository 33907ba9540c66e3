// Mistakes in the lines of a YAML text that cannot be parsed.
#include "config/yaml_lines.h"

#include <algorithm>
#include <vector>

namespace sallyport::config::yaml {

namespace {

// A line that is neither empty nor a comment, by what it looks like: a key with or without a value,
// or a text.
struct Line {
    unsigned number = 0;
    std::size_t indent = 0; // of its first key or text, behind each `- `
    std::string_view text;  // without the indentation and a comment behind it
    bool has_key = false;
    bool has_value = false; // behind the key, on this line
};

[[nodiscard]] std::string_view without_spaces_at_end(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1); // none: npos + 1
}

// The offset of the colon of a key; npos: there is none.
[[nodiscard]] std::size_t colon_of(std::string_view text) {
    char const quote = text.empty() ? '\0' : text.front();
    std::size_t from = 0;
    if (quote == '"' || quote == '\'') {
        from = text.find(quote, 1);
        if (from == std::string_view::npos) return from;
    }
    std::size_t const colon = text.find(": ", from);
    if (colon != std::string_view::npos) return colon;
    return text.ends_with(':') ? text.size() - 1 : std::string_view::npos;
}

[[nodiscard]] Line line_of(std::string_view text, unsigned number) {
    Line line;
    line.number = number;
    auto const indent = [&line, &text] {
        std::size_t const spaces = std::min(text.find_first_not_of(' '), text.size());
        line.indent += spaces;
        text.remove_prefix(spaces);
    };
    indent();
    while (text.starts_with("- ")) {
        text.remove_prefix(1);
        ++line.indent;
        indent();
    }
    if (text.starts_with('#')) text = {};
    line.text = without_spaces_at_end(text.substr(0, text.find(" #")));
    std::size_t const colon = colon_of(line.text);
    line.has_key = colon != std::string_view::npos;
    if (!line.has_key) return line;
    auto const value = line.text.substr(colon + 1);
    std::size_t const begin = value.find_first_not_of(' ');
    // An anchor, a tag or a block scalar has its value on the next lines.
    constexpr std::string_view before_value = "&!|>";
    line.has_value = begin != std::string_view::npos
                     && before_value.find(value[begin]) == std::string_view::npos;
    return line;
}

// The line with that number, and up to two others before it, the nearest one first.
[[nodiscard]] std::vector<Line> lines_up_to(std::string_view text, unsigned number) {
    std::vector<Line> lines;
    std::size_t at = 0;
    for (unsigned one = 1; one <= number && at <= text.size(); ++one) {
        std::size_t const end = std::min(text.find('\n', at), text.size());
        Line const line = line_of(text.substr(at, end - at), one);
        if (!line.text.empty()) lines.insert(lines.begin(), line);
        if (lines.size() > 3) lines.pop_back();
        at = end + 1;
    }
    return lines;
}

// Whether it is words that may have been meant to be a key, or a key and its value.
[[nodiscard]] bool may_be_key(std::string_view text) {
    char const first = text.front();
    bool const begins_well = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')
                             || first == '$' || first == '_' || first == '/' || first == '"'
                             || first == '\'';
    return begins_well && text.find_first_of("[]{},") == std::string_view::npos;
}

[[nodiscard]] Place beginning_of(Line const& line) {
    return {line.number, static_cast<unsigned>(line.indent) + 1};
}

} // namespace

std::optional<LineFault> find_line_fault(std::string_view text, unsigned number) {
    auto const lines = lines_up_to(text, number);
    if (lines.size() < 2 || lines[0].number != number || !lines[0].has_key) return std::nullopt;
    Line const& line = lines[0];
    Line const& before = lines[1];
    if (before.has_key && before.has_value && line.indent > before.indent) {
        return LineFault{beginning_of(line),
                         "is indented more than line " + std::to_string(before.number)
                             + ", whose key has its value already",
                         "align it with the keys around it; put a text of several lines in quotes"};
    }
    if (before.has_key || !may_be_key(before.text)) return std::nullopt;
    // It may go on with the text of the line before it, unless that has a key in the same place.
    bool const is_beside_key =
        lines.size() > 2 && lines[2].has_key && lines[2].indent == before.indent;
    bool const may_be_text =
        lines.size() > 2 && lines[2].has_value && lines[2].indent < before.indent;
    if (may_be_text || (line.indent < before.indent && !is_beside_key)) return std::nullopt;
    bool const has_colon = before.text.find(':') != std::string_view::npos;
    bool const is_spaced = before.text.find(' ') != std::string_view::npos;
    return LineFault{beginning_of(before),
                     has_colon && !is_spaced ? "a ':' without the space behind it"
                                             : "a key without its ':'",
                     "write 'key: value', or 'key:' before a mapping"};
}

} // namespace sallyport::config::yaml
