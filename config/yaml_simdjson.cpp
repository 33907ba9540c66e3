// Reads JSON texts with simdjson: the one file here that includes it.
#include "config/yaml_builder.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <simdjson.h>

namespace sallyport::config::yaml {

namespace {

namespace ondemand = simdjson::ondemand;

// From offsets to places; the offsets ascend.
class PlaceOfOffset {
public:
    explicit PlaceOfOffset(std::string_view text)
        : text_{text}, line_end_{end_of_line(0)}, is_ascii_{is_ascii(text)} {}

    Place operator()(std::size_t offset) {
        while (offset > line_end_) {
            begin_ = line_end_ + 1;
            line_end_ = end_of_line(begin_);
            ++place_.line;
            place_.column = 1;
        }
        std::size_t const columns =
            is_ascii_ ? offset - begin_
                      : text::count_code_points(text_.substr(begin_, offset - begin_));
        place_.column += static_cast<unsigned>(columns);
        begin_ = offset;
        return place_;
    }

private:
    static bool is_ascii(std::string_view text) {
        auto const rest = text.substr(text::skip_ascii_blocks(text, 0));
        return std::all_of(rest.begin(), rest.end(),
                           [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    }
    [[nodiscard]] std::size_t end_of_line(std::size_t offset) const {
        return std::min(text_.find('\n', offset), text_.size());
    }

    std::string_view text_;
    std::size_t begin_ = 0; // of what was not counted yet
    std::size_t line_end_;
    bool is_ascii_; // which most documents are: nothing is counted in them
    Place place_{1, 1};
};

// Each function returns false where the text is not JSON, or a limit was passed.
class Walker {
public:
    Walker(std::string_view text, Builder& builder)
        : begin_{text.data()}, place_{text}, builder_{builder} {}

    // The root begins differently: simdjson looks there whether the last token closes it, and
    // relies on that. A root that is a scalar is left to the other reader.
    bool read_document(ondemand::document& document) {
        std::string_view token;
        if (document.raw_json_token().get(token) != simdjson::SUCCESS) return false;
        Place const start = place_of(token.data());
        bool const is_read = token.front() == '{'   ? read_object(start, document)
                             : token.front() == '[' ? read_array(start, document)
                                                    : false;
        // Nothing follows.
        return is_read && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    }

private:
    static bool go_on(Proceed proceed) { return proceed == Proceed::yes; }
    Place place_of(char const* at) { return place_(static_cast<std::size_t>(at - begin_)); }

    // The builder stops at max_depth, before this recursion could hurt.
    bool read_value(ondemand::value value) {
        std::string_view const token = value.raw_json_token();
        Place const start = place_of(token.data());
        switch (token.front()) {
        case '{': return read_object(start, value);
        case '[': return read_array(start, value);
        case '"': return read_string(start, value);
        default: return read_word(start, token);
        }
    }

    template <class Value>
    bool read_object(Place start, Value& value) {
        ondemand::object object;
        if (!go_on(builder_.begin_mapping(start))
            || value.get_object().get(object) != simdjson::SUCCESS) {
            return false;
        }
        for (auto result : object) {
            ondemand::field field;
            if (std::move(result).get(field) != simdjson::SUCCESS) return false;
            // raw() is behind the quote.
            Place const place = place_of(field.key().raw() - 1);
            std::string_view key;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS
                || !go_on(builder_.quoted_scalar(place, key)) || !read_value(field.value())) {
                return false;
            }
        }
        builder_.end();
        return true;
    }

    template <class Value>
    bool read_array(Place start, Value& value) {
        ondemand::array array;
        if (!go_on(builder_.begin_sequence(start))
            || value.get_array().get(array) != simdjson::SUCCESS) {
            return false;
        }
        for (auto result : array) {
            ondemand::value item;
            if (std::move(result).get(item) != simdjson::SUCCESS || !read_value(item)) return false;
        }
        builder_.end();
        return true;
    }

    bool read_string(Place start, ondemand::value& value) {
        std::string_view text;
        return value.get_string().get(text) == simdjson::SUCCESS
               && go_on(builder_.quoted_scalar(start, text));
    }

    // simdjson refuses numbers beyond 64 bits, and would not keep how one is written. It skips what
    // is not taken from it.
    bool read_word(Place start, std::string_view token) {
        std::string_view const word = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
        return is_json_word(word) && go_on(builder_.plain_scalar(start, word));
    }

    char const* begin_;
    PlaceOfOffset place_;
    Builder& builder_;
};

} // namespace

JsonResult read_valid_json(std::string_view text, Builder& builder) {
    std::string padded;
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded.append(text).append(simdjson::SIMDJSON_PADDING, ' ');
    ondemand::parser parser;
    ondemand::document document;
    bool const is_begun = parser.iterate(padded.data(), text.size(), padded.size()).get(document)
                          == simdjson::SUCCESS;
    Walker walker{std::string_view{padded}.substr(0, text.size()), builder};
    return is_begun && walker.read_document(document) ? JsonResult::read : JsonResult::not_json;
}

} // namespace sallyport::config::yaml
