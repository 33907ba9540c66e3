// Output of commands: see output.h.
#include "gateway/commands/output.h"

#include "config/text.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <ostream>

namespace sallyport::commands {

namespace {

void append_escaped(std::string& out, char c) {
    static constexpr std::string_view digits = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    if (byte < 0x20 || byte == 0x7F) {
        out += "\\u00";
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    } else {
        out += c;
    }
}

// Escapes characters that would end the line or the property.
std::string annotation_text(std::string_view text, std::string_view special) {
    std::string out;
    for (char const c : text) {
        if (special.find(c) == std::string_view::npos) {
            out += c;
        } else {
            text::append_escape(out, c);
        }
    }
    return out;
}

void append_place(std::string& out, config::yaml::Problem const& problem) {
    out += "\"file\":" + json_string_or_null(problem.where.file_name());
    out += ",\"line\":" + std::to_string(problem.where.line);
    out += ",\"column\":" + std::to_string(problem.where.column);
    out += ",\"path\":" + json_string(problem.path);
    out += ",\"what\":" + json_string(problem.what);
}

void print_annotation(std::ostream& out, std::string_view command,
                      config::yaml::Problem const& problem, std::string const& text) {
    constexpr std::string_view in_text = "%\r\n";
    constexpr std::string_view in_property = "%\r\n:,";
    out << "::" << command
        << " file=" << annotation_text(problem.where.file_name(), in_property);
    if (problem.where.line > 0)
        out << ",line=" << problem.where.line << ",col=" << problem.where.column;
    out << "::" << annotation_text(config::printable(text), in_text) << '\n';
}

} // namespace

std::string json_string(std::string_view text) {
    bool const is_utf8 = !text::first_invalid_utf8(text);
    std::string out = "\"";
    for (char const c : text) {
        bool const is_unknown = !is_utf8 && static_cast<unsigned char>(c) >= 0x80;
        append_escaped(out, is_unknown ? '?' : c);
    }
    return out + '"';
}

std::string json_string_or_null(std::string_view text) {
    return text.empty() ? "null" : json_string(text);
}

std::string json_problems(config::yaml::Problems const& problems) {
    std::string out = "[";
    for (config::yaml::Problem const& problem : problems) {
        if (out.size() > 1) out += ',';
        bool const is_error = problem.severity == config::yaml::Severity::error;
        out += is_error ? R"({"severity":"error",)" : R"({"severity":"warning",)";
        append_place(out, problem);
        out += ",\"hint\":" + json_string_or_null(problem.hint) + '}';
    }
    return out + ']';
}

std::string json_places(config::yaml::Problems const& places) {
    std::string out = "[";
    for (config::yaml::Problem const& place : places) {
        out += out.size() > 1 ? ",{" : "{";
        append_place(out, place);
        out += '}';
    }
    return out + ']';
}

void print_problems(std::ostream& out, config::yaml::Problems const& problems) {
    for (config::yaml::Problem const& problem : problems)
        out << describe(problem) << '\n';
}

void print_annotations(std::ostream& out, config::yaml::Problems const& problems) {
    for (config::yaml::Problem const& problem : problems) {
        bool const is_error = problem.severity == config::yaml::Severity::error;
        std::string text = problem.path.empty() ? problem.what : problem.path + ": " + problem.what;
        if (!problem.hint.empty()) text += "; " + problem.hint;
        print_annotation(out, is_error ? "error" : "warning", problem, text);
    }
}

void print_notices(std::ostream& out, config::yaml::Problems const& places) {
    for (config::yaml::Problem const& place : places)
        print_annotation(out, "notice", place, "not looked at: " + place.path + ": " + place.what);
}

} // namespace sallyport::commands
