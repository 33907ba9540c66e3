// Expands references in scalars: see resolver.h.
#include "config/resolver.h"

#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace sallyport::config {

namespace {

constexpr std::size_t max_referenced_file = 64 * 1024;
constexpr std::string_view how_to_write =
    "write ${env:NAME} or ${file:/path}, and $${ for the text ${";

constexpr std::string_view how_to_write_variables =
    "write ${request_id}, ${credential}, ${client}, ${operation} or ${label:NAME}, ${env:NAME} or "
    "${file:/path}, and $${ for the text ${";
constexpr std::string_view unclosed = "'${' without its '}'";

// The text between `${` and `}`; none: it is no variable.
std::optional<ValuePart> parse_variable(std::string_view text) {
    constexpr std::string_view label = "label:";
    constexpr std::size_t longest_label = 64;
    if (text == "request_id") return ValuePart{{}, Variable::request_id};
    if (text == "credential") return ValuePart{{}, Variable::credential};
    if (text == "client") return ValuePart{{}, Variable::client};
    if (text == "operation") return ValuePart{{}, Variable::operation};
    if (!text.starts_with(label)) return std::nullopt;
    auto const name = text.substr(label.size());
    bool const is_name =
        !name.empty() && name.size() <= longest_label
        && std::all_of(name.begin(), name.end(), [](char c) {
               return text::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
           });
    if (!is_name) return std::nullopt;
    return ValuePart{std::string{name}, Variable::label};
}

bool is_variable_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return text::is_letter_or_digit(c) || c == '_';
    });
}

void fail(Expanded& out, std::string problem, std::string hint) {
    if (!out.problem.empty()) return; // only the first one is reported
    out.problem = std::move(problem);
    out.hint = std::move(hint);
}

// Appends what one reference, the text between `${` and `}`, stands for.
void append_reference(Expanded& out, std::string_view reference, std::string const& folder,
                      Resolver const& resolver) {
    bool const is_variable = reference.starts_with("env:") && is_variable_name(reference.substr(4));
    bool const is_file = reference.starts_with("file:") && reference.size() > 5;
    if ((is_variable || is_file) && resolver.expansion == Expansion::left_open) {
        if (!out.left_open.empty()) out.left_open += ", ";
        out.left_open.append("${").append(reference).append("}");
    } else if (is_variable) {
        std::string const name{reference.substr(4)};
        if (auto const value = resolver.environment(name)) {
            out.text += *value;
        } else {
            fail(out, "the environment variable " + name + " is not set", "set it");
        }
    } else if (is_file) {
        std::string const path = resolve_path(reference.substr(5), folder);
        FileText file = resolver.file(path);
        out.files.push_back(path);
        if (!file.problem.empty()) {
            fail(out, "the file " + in_quotes(path) + " cannot be read: " + file.problem, {});
            return;
        }
        std::string_view content = file.text;
        if (!content.empty() && content.back() == '\n') content.remove_suffix(1);
        if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
        out.text += content;
    } else {
        // Not shown: it may be a part of a secret, which may hold these characters by chance. A
        // reference itself only shows where one is.
        fail(out, "what stands between '${' and '}' is no reference", std::string{how_to_write});
    }
}

} // namespace

Resolver system_resolver() {
    Resolver out;
    out.environment = [](std::string const& name) -> std::optional<std::string> {
        char const* const value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return std::string{value};
    };
    out.file = [](std::string const& path) { return read_file(path, max_referenced_file); };
    return out;
}

Resolver offline_resolver() {
    Resolver out;
    out.expansion = Expansion::left_open;
    return out;
}

Expanded expand(std::string_view text, std::string const& folder, Resolver const& resolver) {
    Expanded out;
    std::size_t at = 0;
    for (;;) {
        std::size_t const next = text.find("${", at);
        if (next == std::string_view::npos) {
            out.text += text.substr(at);
            return out;
        }
        if (next > at && text[next - 1] == '$') {
            out.text += text.substr(at, next - 1 - at);
            out.text += "${";
            at = next + 2;
            continue;
        }
        out.text += text.substr(at, next - at);
        std::size_t const end = text.find('}', next);
        if (end == std::string_view::npos) {
            fail(out, std::string{unclosed}, std::string{how_to_write});
            return out;
        }
        out.was_changed = true;
        append_reference(out, text.substr(next + 2, end - next - 2), folder, resolver);
        at = end + 1;
    }
}

ExpandedValue expand_value(std::string_view text, std::string const& folder,
                           Resolver const& resolver) {
    ExpandedValue out;
    std::size_t begin = 0; // of the text that follows the last variable
    auto const add_text = [&](std::size_t end) {
        if (end == begin && !(out.parts.empty() && end == text.size())) return;
        auto piece = expand(text.substr(begin, end - begin), folder, resolver);
        if (!piece.left_open.empty() && !out.left_open.empty()) out.left_open += ", ";
        out.left_open += piece.left_open;
        if (!piece.problem.empty() && out.problem.empty()) {
            bool const is_unknown = piece.hint == how_to_write;
            out.problem =
                is_unknown && piece.problem != unclosed
                    ? "what stands between '${' and '}' is neither a reference nor a variable"
                    : std::move(piece.problem);
            out.hint = is_unknown ? std::string{how_to_write_variables} : std::move(piece.hint);
        }
        out.parts.push_back({std::move(piece.text), Variable::none});
    };
    for (std::size_t at = 0; (at = text.find("${", at)) != std::string_view::npos;) {
        std::size_t const end = text.find('}', at);
        bool const is_escaped = at > begin && text[at - 1] == '$';
        auto variable = end == std::string_view::npos || is_escaped
                            ? std::nullopt
                            : parse_variable(text.substr(at + 2, end - at - 2));
        if (!variable) {
            // A reference is skipped as a whole: its path may hold these characters too.
            at = is_escaped || end == std::string_view::npos ? at + 2 : end + 1;
            continue;
        }
        add_text(at);
        out.parts.push_back(std::move(*variable));
        begin = at = end + 1;
    }
    add_text(text.size());
    return out;
}

std::string resolve_path(std::string_view path, std::string const& folder) {
    std::filesystem::path const wanted{path};
    if (wanted.is_absolute() || folder.empty()) return wanted.lexically_normal().string();
    return (std::filesystem::path{folder} / wanted).lexically_normal().string();
}

std::string folder_of(std::string const& path) {
    return std::filesystem::path{path}.parent_path().string();
}

} // namespace sallyport::config
