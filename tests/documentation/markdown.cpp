// Reads the parts of Markdown that the project's pages use.
#include "tests/documentation/markdown.h"

#include <cctype>
#include <optional>

namespace sallyport::documentation {
namespace {

std::string trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return std::string{text.substr(begin, text.find_last_not_of(" \t") - begin + 1)};
}

// A vertical bar between backticks is text.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    std::string cell;
    bool in_code = false;
    for (char const c : line.substr(1)) {
        if (c == '`') in_code = !in_code;
        if (c == '|' && !in_code) {
            cells.push_back(trimmed(cell));
            cell.clear();
        } else {
            cell += c;
        }
    }
    if (!trimmed(cell).empty()) cells.push_back(trimmed(cell)); // without a bar at the end
    return cells;
}

void append_links(std::vector<Link>& links, std::string_view line, std::size_t number) {
    for (auto at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 1)) {
        auto const end = line.find(')', at);
        if (end == std::string_view::npos) return;
        links.push_back({number, std::string{line.substr(at + 2, end - at - 2)}});
    }
}

Block begin_fence(std::string_view line, std::size_t number) {
    std::string const info = trimmed(line.substr(3));
    auto const space = info.find(' ');
    Block block;
    block.line = number + 1;
    block.language = info.substr(0, space);
    if (space != std::string::npos) block.argument = trimmed(info.substr(space));
    return block;
}

// Line by line: in a fence, in an indented block, or in neither.
class Reader {
public:
    void take(std::string const& line) {
        ++number_;
        if (fence_) {
            take_in_fence(line);
        } else if (line.starts_with("```")) {
            fence_ = begin_fence(line, number_);
        } else if (line.starts_with("    ") && (was_blank_ || in_indented_)) {
            take_indented(line.substr(4));
        } else {
            take_prose(line);
        }
        was_blank_ = line.empty();
    }

    Page page;

private:
    void take_in_fence(std::string const& line) {
        if (line == "```") {
            page.blocks.push_back(*fence_);
            fence_.reset();
        } else {
            fence_->text += line + '\n';
        }
    }

    void take_indented(std::string const& line) {
        if (!in_indented_) page.blocks.push_back({number_, {}, {}, {}});
        in_indented_ = true;
        page.blocks.back().text += line + '\n';
    }

    void take_prose(std::string const& line) {
        if (!line.empty()) in_indented_ = false;
        page.prose += line + '\n';
        page.lines.push_back({number_, line});
        if (line.starts_with("#")) {
            page.headings.push_back(trimmed(line.substr(line.find_first_not_of('#'))));
        }
        if (line.starts_with("|") && line.size() > 1) {
            page.rows.push_back({number_, cells_of(line)});
        }
        append_links(page.links, line, number_);
    }

    std::optional<Block> fence_;
    std::size_t number_ = 0;
    bool was_blank_ = true;
    bool in_indented_ = false;
};

} // namespace

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        auto const end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

Page read_page(std::string_view text) {
    Reader reader;
    for (auto const& line : lines_of(text))
        reader.take(line);
    return reader.page;
}

std::vector<std::string> code_words(std::string_view text) {
    std::vector<std::string> words;
    for (auto begin = text.find('`'); begin != std::string_view::npos;) {
        auto const end = text.find('`', begin + 1);
        if (end == std::string_view::npos) break;
        words.emplace_back(text.substr(begin + 1, end - begin - 1));
        begin = text.find('`', end + 1);
    }
    return words;
}

std::string anchor_of(std::string_view heading) {
    std::string anchor;
    for (char const c : heading) {
        auto const byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0) anchor += static_cast<char>(std::tolower(byte));
        if (c == ' ') anchor += '-';
        if (c == '-' || c == '_') anchor += c;
    }
    return anchor;
}

} // namespace sallyport::documentation
