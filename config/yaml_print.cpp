// Writes documents as YAML: see yaml_print.h.
#include "config/yaml_print.h"

#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>

namespace sallyport::config::yaml {

namespace {

// Words that YAML 1.2 or 1.1 does not read as texts, in lower case.
constexpr std::array<std::string_view, 9> special_words{"null", "true", "false", "yes", "no",
                                                        "on",   "off",  "y",     "n"};

// Characters that line-based readers take for line breaks, or do not print: C1 controls, U+2028,
// U+2029, the byte-order mark.
[[nodiscard]] bool is_invisible(char32_t c) noexcept {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

[[nodiscard]] bool has_invisible(std::string_view text, char but_not) {
    while (!text.empty()) {
        char32_t const c = text::first_code_point(text);
        if (is_invisible(c) && c != static_cast<unsigned char>(but_not)) return true;
        text.remove_prefix(std::max<std::size_t>(text::utf8_length(text), 1));
    }
    return false;
}

// Whether it can stand without quotes. Begins with a letter, so that it is neither a number nor an
// indicator; ':' and '#' are always quoted.
[[nodiscard]] bool is_plain(std::string_view text) {
    if (text.empty() || text.back() == ' ' || has_invisible(text, ' ')) return false;
    char const first = text.front();
    bool const begins_well = text::is_letter(first) || first == '_' || first == '/' || first == '$'
                             || static_cast<unsigned char>(first) >= 0x80;
    if (!begins_well || text.find_first_of(":#") != std::string_view::npos) return false;
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), text::to_lower);
    return std::find(special_words.begin(), special_words.end(), lower) == special_words.end();
}

// YAML 1.2.2, 5.7.
void append_quoted(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out += '"';
    while (!text.empty()) {
        std::size_t const length = std::max<std::size_t>(text::utf8_length(text), 1);
        char32_t const c = text::first_code_point(text);
        if (c == '"' || c == '\\') {
            out.append(1, '\\').append(1, text.front());
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (is_invisible(c)) {
            out += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4)
                out += digits[(c >> shift) & 15U];
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    out += '"';
}

// Whether it can stand as a literal block (YAML 1.2.2, 8.1.2) without an indentation indicator.
[[nodiscard]] bool is_block(std::string_view text) {
    return text.find('\n') != std::string_view::npos && text.front() != ' ' && text.front() != '\n'
           && text.front() != '\t' && !has_invisible(text, '\n');
}

class Printer {
public:
    void print_document(Node const& node) {
        if (node.is_scalar() || is_empty(node)) {
            print_scalar(node, 0);
            out_ += '\n';
        } else {
            print_children(node, 0);
        }
    }

    std::string out_;

private:
    [[nodiscard]] static bool is_empty(Node const& node) {
        return node.items().empty() && node.entries().empty();
    }

    void indent(std::size_t level) { out_.append(2 * level, ' '); }

    // The cursor is where the first child begins: behind the indentation, or behind "- ".
    void print_children(Node const& node, std::size_t level) {
        bool is_first = true;
        for (Entry const& entry : node.entries()) {
            if (!std::exchange(is_first, false)) indent(level);
            print_key(entry.key);
            print_value(entry.value, level);
        }
        for (Node const& item : node.items()) {
            if (!std::exchange(is_first, false)) indent(level);
            out_ += "- ";
            if (item.is_scalar() || is_empty(item)) {
                print_scalar(item, level + 1);
                out_ += '\n';
            } else {
                print_children(item, level + 1);
            }
        }
    }

    void print_key(std::string const& key) {
        if (is_plain(key)) {
            out_ += key;
        } else {
            append_quoted(out_, key);
        }
        out_ += ':';
    }

    void print_value(Node const& value, std::size_t level) {
        if (value.is_scalar() || is_empty(value)) {
            out_ += ' ';
            print_scalar(value, level + 1);
            out_ += '\n';
            return;
        }
        out_ += '\n';
        indent(level + 1);
        print_children(value, level + 1);
    }

    // A scalar, or an empty list or mapping, without the line feed behind it.
    void print_scalar(Node const& node, std::size_t level) {
        if (node.is_sequence()) {
            out_ += "[]";
        } else if (node.is_mapping()) {
            out_ += "{}";
        } else if (node.is_null()) {
            out_ += "null";
        } else if (!node.is_string()) {
            out_ += node.text();
        } else if (is_block(node.text())) {
            print_block(node.text(), std::max<std::size_t>(level, 1));
        } else if (is_plain(node.text())) {
            out_ += node.text();
        } else {
            append_quoted(out_, node.text());
        }
    }

    // YAML 1.2.2, 8.1.1.2: `-` without a line feed at the end, `+` with more than one.
    void print_block(std::string_view text, std::size_t level) {
        out_ += '|';
        if (!text.ends_with('\n')) {
            out_ += '-';
        } else if (text.ends_with("\n\n")) {
            out_ += '+';
        }
        while (!text.empty()) {
            std::size_t const end = std::min(text.find('\n'), text.size());
            out_ += '\n';
            if (end > 0) indent(level);
            out_ += text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
};

} // namespace

std::string to_yaml(Node const& node) {
    Printer printer;
    printer.print_document(node);
    return std::move(printer.out_);
}

} // namespace sallyport::config::yaml
