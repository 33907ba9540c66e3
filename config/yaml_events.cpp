// Turns the events of yaml-cpp 0.7 into a document: the one file that includes yaml-cpp.
#include "config/text.h"
#include "config/yaml_builder.h"
#include "config/yaml_lines.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace sallyport::config::yaml {

namespace {

// Reads from memory, without the copy that std::istringstream makes.
class MemoryBuffer : public std::streambuf {
public:
    explicit MemoryBuffer(std::string_view text) {
        // setg() takes pointers to non-const; nothing writes through them.
        char* const begin = const_cast<char*>(text.data()); // NOLINT(*-const-cast)
        setg(begin, begin, begin + text.size());
    }
};

// Ends the parse from inside a handler: yaml-cpp offers no other way. Never leaves this file.
struct Stop {};

// yaml-cpp counts lines and columns from 0, and columns in bytes; `pos` is the offset in the text.
class PlaceFinder {
public:
    explicit PlaceFinder(std::string_view text) : text_{text} {}

    Place operator()(YAML::Mark const& mark) {
        if (mark.is_null() || mark.line < 0 || mark.column < 0 || mark.pos < 0) return {0, 0};
        auto const end = std::min(static_cast<std::size_t>(mark.pos), text_.size());
        auto const line = static_cast<unsigned>(mark.line) + 1;
        if (line != line_ || end < offset_) {
            line_ = line;
            column_ = 1;
            offset_ = end - std::min(end, static_cast<std::size_t>(mark.column));
        }
        // Marks come in order: each byte of a line is looked at about once.
        for (; offset_ < end; ++offset_) {
            if (!text::is_continuation(text_[offset_])) ++column_;
        }
        return {line_, column_};
    }

private:
    std::string_view text_;
    std::size_t offset_ = 0;
    unsigned line_ = 0;
    unsigned column_ = 1;
};

// Whether the quote that opens at `offset` is closed: yaml-cpp takes the end of the file for its
// end.
bool is_quote_closed(std::string_view text, std::size_t offset) {
    char const quote = text[offset];
    for (std::size_t i = offset + 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            // YAML 1.2.2, 7.3.2: within single quotes a doubled quote is one quote.
            if (quote == '"' || i + 1 >= text.size() || text[i + 1] != quote) return true;
            ++i;
        }
    }
    return false;
}

// yaml-cpp writes the escapes `\N` and `\_` (YAML 1.2.2, 5.7: U+0085 and U+00A0) as one byte of
// Latin-1. The text it read is UTF-8, and no character of that begins with a continuation byte:
// one that stands alone is such an escape.
std::string with_escapes_as_utf8(std::string const& scalar) {
    std::string out;
    std::string_view rest = scalar;
    while (auto const bad = text::first_invalid_utf8(rest)) {
        out.append(rest.substr(0, *bad)).append(1, '\xC2').append(1, rest[*bad]);
        rest.remove_prefix(*bad + 1);
    }
    return out.append(rest);
}

class Handler final : public YAML::EventHandler {
public:
    Handler(std::string_view text, Builder& builder)
        : text_{text}, place_{text}, builder_{builder} {}

    Place place(YAML::Mark const& mark) { return place_(mark); }

    void OnDocumentStart(YAML::Mark const& mark) override {
        if (++documents_ == 1) return;
        builder_.refuse_document(place_(mark), "something stands after the end of the document",
                                 "keep one document in a file");
        throw Stop{};
    }
    void OnDocumentEnd() override {}

    void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override {
        Place const at = place_(mark);
        builder_.anchor(at, anchor);
        refuse_missing(mark, at);
        // yaml-cpp does not pass on which of the words for null it was; none of them means anything
        // else.
        proceed(builder_.plain_scalar(at, {}));
    }
    void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override {
        proceed(builder_.alias(place_(mark), anchor));
    }
    void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                  std::string const& value) override {
        Place const at = place_(mark);
        builder_.anchor(at, anchor);
        if (tag != "?" && tag != "!") {
            refuse_tag(at);
        } else {
            refuse_quote(mark, at);
        }
        // The tag "?" is a plain scalar, "!" one in quotes or a block scalar.
        proceed(tag == "?" ? builder_.plain_scalar(at, value)
                           : builder_.quoted_scalar(at, with_escapes_as_utf8(value)));
    }
    void OnSequenceStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        Place const at = place_(mark);
        builder_.anchor(at, anchor);
        if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(at);
        proceed(builder_.begin_sequence(at));
    }
    void OnSequenceEnd() override { builder_.end(); }
    void OnMapStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        Place const at = place_(mark);
        builder_.anchor(at, anchor);
        if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(at);
        proceed(builder_.begin_mapping(at));
    }
    void OnMapEnd() override { builder_.end(); }

private:
    static void proceed(Proceed result) {
        if (result == Proceed::no) throw Stop{};
    }
    void refuse_tag(Place at) {
        builder_.refuse(at, "tags are not read", "write the value without it");
    }
    [[nodiscard]] char char_at(YAML::Mark const& mark) const {
        bool const is_inside = mark.pos >= 0 && static_cast<std::size_t>(mark.pos) < text_.size();
        return is_inside ? text_[static_cast<std::size_t>(mark.pos)] : '\0';
    }
    // Where yaml-cpp makes a null of nothing at all: `[a,,b]`, and a word at the end of a file that
    // is taken for a key.
    void refuse_missing(YAML::Mark const& mark, Place at) {
        if (builder_.is_in_sequence() && char_at(mark) == ',') {
            builder_.refuse(at, "an empty place in a list", "remove a comma, or write null");
        } else if (builder_.is_value_of_key_at(at)) {
            builder_.refuse(at, "a key without a value", "write 'key: value'");
        }
    }
    void refuse_quote(YAML::Mark const& mark, Place at) {
        char const c = char_at(mark);
        if (c == '!') {
            refuse_tag(at);
        } else if ((c == '"' || c == '\'')
                   && !is_quote_closed(text_, static_cast<std::size_t>(mark.pos))) {
            builder_.refuse_document(at, "a quote that is never closed", "close it");
            throw Stop{};
        }
    }

    std::string_view text_;
    PlaceFinder place_;
    Builder& builder_;
    unsigned documents_ = 0;
};

// For a parse whose result is not kept.
class Silent final : public YAML::EventHandler {
public:
    void OnDocumentStart(YAML::Mark const&) override {}
    void OnDocumentEnd() override {}
    void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
    void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
    void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t,
                  std::string const&) override {}
    void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
};

struct Translation {
    std::string_view theirs;
    std::string_view what;
    std::string_view hint;
};

constexpr std::string_view tab_error = "illegal tab when looking for indentation";

// yaml-cpp's words for the commonest mistakes, and what to do instead.
constexpr std::array translations{
    Translation{tab_error, "a tab in the indentation",
                "indent with spaces"},
    Translation{"end of map not found", "a line that does not belong to the mapping around it",
                "align it with the other keys; put values with ': ' or '#' in quotes"},
    Translation{"end of sequence not found", "a line that does not belong to the list around it",
                "align it with the other '- '"},
    Translation{"end of map flow not found", "'{' without its '}'", "close it"},
    Translation{"end of sequence flow not found", "'[' without its ']'", "close it"},
    Translation{"illegal flow end", "'}' or ']' without its opening bracket",
                "remove it, or put the text in quotes"},
    Translation{"illegal map value", "':' where no value can begin",
                "put a text that holds ': ' in quotes"},
    Translation{"illegal EOF in scalar", "a quote that is never closed", "close it"},
    Translation{"unknown token", "a character that cannot begin a value", "put the text in quotes"},
};

// Whether a tab stands among what a line begins with: yaml-cpp may blame the colon behind it.
bool is_indented_by_tab(std::string_view text, YAML::Mark const& mark) {
    auto const at = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text.size());
    auto const begin = text.substr(0, at).find_last_of('\n') + 1; // of the first line: npos + 1
    auto const line = text.substr(begin);
    return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

// The white space with a tab that a line at an offset begins with, if there is nothing else but a
// comment in it.
std::optional<std::size_t> tabs_of_bare_line(std::string_view line) {
    auto const end = std::min(line.find_first_not_of(" \t\r"), line.size());
    bool const is_bare = end == line.size() || line[end] == '\n' || line[end] == '#';
    bool const has_tab = line.substr(0, end).find('\t') != std::string_view::npos;
    return is_bare && has_tab ? std::optional{end} : std::nullopt;
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
    return text.substr(0, at).find_last_of('\n') + 1; // of the first line: npos + 1
}

bool has_tabs_in_bare_lines(std::string_view text) {
    for (auto at = text.find('\t'); at != std::string_view::npos; at = text.find('\t', at)) {
        if (tabs_of_bare_line(text.substr(begin_of_line(text, at)))) return true;
        at = text.find('\n', at);
        if (at == std::string_view::npos) break;
    }
    return false;
}

// YAML 1.2.2, 6.6 and 6.7: a line without anything, or of a comment, may begin with tabs, which
// yaml-cpp refuses behind a plain scalar. Only what it refuses is changed: elsewhere such a line
// may be a part of a text. Empty: there is nothing to change.
std::string with_spaces_in_bare_lines(std::string_view text) {
    constexpr int most_lines = 100; // each costs a parse up to it
    if (!has_tabs_in_bare_lines(text)) return {};
    std::string changed{text};
    for (int lines = 0; lines < most_lines; ++lines) {
        MemoryBuffer buffer{changed};
        std::istream stream{&buffer};
        Silent nothing;
        try {
            YAML::Parser{stream}.HandleNextDocument(nothing);
            break;
        } catch (YAML::Exception const& bad) {
            auto const at = static_cast<std::size_t>(std::max(bad.mark.pos, 0));
            if (bad.msg != tab_error || at >= changed.size()) break;
            auto const begin = begin_of_line(changed, at);
            auto const tabs = tabs_of_bare_line(std::string_view{changed}.substr(begin));
            if (!tabs) break;
            changed.replace(begin, *tabs, *tabs, ' ');
        }
    }
    return changed;
}

// Never yaml-cpp's own words where they repeat the file: it may be a secret.
void refuse_syntax(Builder& builder, Place at, std::string const& message, std::string_view text) {
    bool const may_be_of_lines =
        message == "illegal map value" || message == "end of map not found";
    if (auto fault = may_be_of_lines ? find_line_fault(text, at.line) : std::nullopt) {
        builder.refuse_document(fault->where, std::move(fault->what), std::move(fault->hint));
        return;
    }
    if (message.starts_with("unknown escape character")) {
        builder.refuse_document(at, "a backslash that begins no escape",
                                "put the text in single quotes, or write two backslashes");
        return;
    }
    if (message.starts_with("invalid unicode")) {
        builder.refuse_document(at, "an escape of no Unicode character", "write another");
        return;
    }
    if (message == "the referenced anchor is not defined") {
        bool const is_plain = builder.syntax() == Syntax::plain;
        builder.refuse_document(at,
                                is_plain ? "aliases are not read" : "an alias without its anchor",
                                std::string{is_plain ? "write the value out; " : ""}
                                    + "put a text that begins with '*' in quotes");
        return;
    }
    for (Translation const& entry : translations) {
        if (entry.theirs != message) continue;
        builder.refuse_document(at, std::string{entry.what}, std::string{entry.hint});
        return;
    }
    builder.refuse_document(at, "not YAML: " + message, {});
}

} // namespace

void read_yaml(std::string_view given, Builder& builder) {
    std::string const changed = with_spaces_in_bare_lines(given);
    std::string_view const text = changed.empty() ? given : changed;
    MemoryBuffer buffer{text};
    std::istream stream{&buffer};
    Handler handler{text, builder};
    try {
        YAML::Parser parser{stream};
        // The second call finds what stands behind the document: yaml-cpp would not mind it.
        if (parser.HandleNextDocument(handler)) parser.HandleNextDocument(handler);
    } catch (Stop const&) {
        return; // the problem is recorded
    } catch (YAML::Exception const& bad) {
        bool const is_tab = bad.msg == "illegal map value" && is_indented_by_tab(text, bad.mark);
        refuse_syntax(builder, handler.place(bad.mark),
                      is_tab ? std::string{tab_error} : bad.msg, text);
    }
}

} // namespace sallyport::config::yaml
