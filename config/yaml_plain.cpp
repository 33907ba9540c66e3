// Reads YAML in plain syntax with libyaml, several times as fast as yaml-cpp: the one file that
// includes it.
//
// yaml-cpp decides what YAML is here, and says what is wrong. What is read here is only what both
// read alike; at the first sign of anything else the text is left to it.
#include "config/yaml_builder.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <yaml.h>

namespace sallyport::config::yaml {

namespace {

class PlainParser {
public:
    explicit PlainParser(std::string_view text) : is_ready_{yaml_parser_initialize(&parser_) == 1} {
        if (!is_ready_) return;
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<unsigned char const*>(text.data()),
                                     text.size());
    }
    PlainParser(PlainParser const&) = delete;
    PlainParser& operator=(PlainParser const&) = delete;
    ~PlainParser() {
        if (is_ready_) yaml_parser_delete(&parser_);
    }

    [[nodiscard]] yaml_parser_t* get() { return is_ready_ ? &parser_ : nullptr; }

private:
    yaml_parser_t parser_{};
    bool is_ready_;
};

// The next event of a parser.
class Event {
public:
    explicit Event(yaml_parser_t& parser) : is_there_{yaml_parser_parse(&parser, &event_) == 1} {}
    Event(Event const&) = delete;
    Event& operator=(Event const&) = delete;
    ~Event() {
        if (is_there_) yaml_event_delete(&event_);
    }

    /// Null: the text is no YAML for libyaml.
    [[nodiscard]] yaml_event_t const* get() const { return is_there_ ? &event_ : nullptr; }

private:
    yaml_event_t event_{};
    bool is_there_;
};

// White space and line breaks that are read differently, directives, ends of documents.
bool has_odd_bytes(std::string_view text) {
    constexpr std::array<std::string_view, 8> odd{
        "\t", "\r", "\n%", "\n...", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"};
    return text.starts_with('%')
           || std::any_of(odd.begin(), odd.end(), [text](std::string_view one) {
                  return text.find(one) != std::string_view::npos;
              });
}

// Whether a question mark may begin a key: not behind a letter or digit, as in `v1/x?y`.
bool may_have_complex_keys(std::string_view text) {
    auto at = text.find('?');
    while (at != std::string_view::npos) {
        if (at == 0 || !text::is_letter_or_digit(text[at - 1])) return true;
        at = text.find('?', at + 1);
    }
    return false;
}

Place place_of(yaml_mark_t const& mark) {
    return {static_cast<unsigned>(mark.line) + 1, static_cast<unsigned>(mark.column) + 1};
}

bool is_null_word(std::string_view text) {
    return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// Each function returns false where the rest is not for this reader.
class PlainHandler {
public:
    explicit PlainHandler(Builder& builder) : builder_{builder} {}

    bool take(yaml_event_t const& event) {
        switch (event.type) {
        case YAML_STREAM_START_EVENT: return true;
        case YAML_DOCUMENT_START_EVENT: return ++documents_ == 1;
        case YAML_DOCUMENT_END_EVENT: return event.data.document_end.implicit != 0;
        case YAML_SCALAR_EVENT: return take_scalar(event);
        case YAML_SEQUENCE_START_EVENT: return begin_sequence(event);
        case YAML_MAPPING_START_EVENT: return begin_mapping(event);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: return end();
        // A stream without a document is empty, which the other reader says better.
        case YAML_STREAM_END_EVENT: return documents_ == 1;
        default: return false;
        }
    }

private:
    static bool go_on(Proceed proceed) { return proceed == Proceed::yes; }

    void note_flow(bool is_flow) {
        ++depth_;
        if (is_flow || flow_depth_ > 0) ++flow_depth_;
    }

    bool begin_sequence(yaml_event_t const& event) {
        auto const& start = event.data.sequence_start;
        if (start.anchor != nullptr || start.tag != nullptr || builder_.is_at_key()) return false;
        note_flow(start.style == YAML_FLOW_SEQUENCE_STYLE);
        return go_on(builder_.begin_sequence(place_of(event.start_mark)));
    }

    bool begin_mapping(yaml_event_t const& event) {
        auto const& start = event.data.mapping_start;
        if (start.anchor != nullptr || start.tag != nullptr || builder_.is_at_key()) return false;
        bool const is_flow = start.style == YAML_FLOW_MAPPING_STYLE;
        note_flow(is_flow);
        if (is_flow) flow_mapping_at_ = event.start_mark.index;
        return go_on(builder_.begin_mapping(place_of(event.start_mark)));
    }

    bool end() {
        --depth_;
        if (flow_depth_ > 0) --flow_depth_;
        builder_.end();
        return true;
    }

    bool take_scalar(yaml_event_t const& event) {
        auto const& scalar = event.data.scalar;
        std::string_view const text{reinterpret_cast<char const*>(scalar.value), scalar.length};
        bool const is_one_line = event.start_mark.line == event.end_mark.line;
        if (scalar.anchor != nullptr || scalar.tag != nullptr || depth_ == 0 || !is_one_line
            || (builder_.is_at_key() && !is_plain_key(event, text))) {
            return false;
        }
        Place const place = place_of(event.start_mark);
        switch (scalar.style) {
        case YAML_PLAIN_SCALAR_STYLE: return take_plain(place, text);
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: break;
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
            if (has_escapes(event, text)) return false;
            break;
        default: return false;
        }
        return go_on(builder_.quoted_scalar(place, text));
    }

    // Not `[a: b]`, a mapping without braces, whose key begins where it begins itself.
    [[nodiscard]] bool is_plain_key(yaml_event_t const& event, std::string_view text) const {
        constexpr std::size_t longest = 256; // both readers limit keys, each in its own way
        bool const has_braces = flow_depth_ == 0 || event.start_mark.index != flow_mapping_at_;
        return !text.empty() && text.size() <= longest && has_braces;
    }

    bool take_plain(Place place, std::string_view text) {
        // What is not there has the place of its key, where it has one.
        if (text.empty() && (flow_depth_ > 0 || builder_.is_in_sequence())) return false;
        if (flow_depth_ > 0 && text.find('?') != std::string_view::npos) return false;
        // As of the other reader: which of the words it was is not known.
        return go_on(builder_.plain_scalar(place, is_null_word(text) ? std::string_view{} : text));
    }

    // Each is at least two characters, and stands for one.
    static bool has_escapes(yaml_event_t const& event, std::string_view text) {
        constexpr std::size_t quotes = 2;
        return event.end_mark.index - event.start_mark.index
               != text::count_code_points(text) + quotes;
    }

    Builder& builder_;
    std::size_t documents_ = 0;
    std::size_t depth_ = 0;
    std::size_t flow_depth_ = 0;
    std::size_t flow_mapping_at_ = 0;
};

} // namespace

PlainResult read_plain_yaml(std::string_view text, Builder& builder) {
    if (has_odd_bytes(text) || may_have_complex_keys(text)) return PlainResult::not_plain;
    PlainParser parser{text};
    if (parser.get() == nullptr) return PlainResult::not_plain;
    PlainHandler handler{builder};
    for (;;) {
        Event const event{*parser.get()};
        if (event.get() == nullptr || !handler.take(*event.get())) return PlainResult::not_plain;
        if (event.get()->type == YAML_STREAM_END_EVENT) break;
    }
    return builder.has_problems() ? PlainResult::not_plain : PlainResult::read;
}

} // namespace sallyport::config::yaml
