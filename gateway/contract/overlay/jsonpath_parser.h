// The parser of JSONPath: internal to jsonpath*.cpp.
#pragma once

#include "gateway/contract/overlay/jsonpath.h"

namespace sallyport::contract::jsonpath {

/// Reads one text from left to right, each rule of the grammar (RFC 9535, appendix A) by a function
/// of its own. Each returns false after the first problem.
class Parser {
public:
    explicit Parser(std::string_view text) : text_{text} {}

    [[nodiscard]] Parsed parse();

private:
    // jsonpath_parse.cpp: queries
    [[nodiscard]] bool read_query(Query& out);
    [[nodiscard]] bool read_segments(std::vector<Segment>& out);
    [[nodiscard]] bool read_segment(Segment& out);
    [[nodiscard]] bool read_brackets(Segment& out);
    [[nodiscard]] bool read_shorthand(Segment& out);
    [[nodiscard]] bool read_selector(Selector& out);
    [[nodiscard]] bool read_index_or_slice(Selector& out);
    [[nodiscard]] bool read_bound(std::optional<std::int64_t>& out);

    // jsonpath_filter.cpp: expressions of filters
    [[nodiscard]] bool read_any_of(Expression& out);
    [[nodiscard]] bool read_all_of(Expression& out);
    [[nodiscard]] bool read_basic(Expression& out);
    [[nodiscard]] bool read_negation(Expression& out);
    [[nodiscard]] bool read_parentheses(Expression& out);
    [[nodiscard]] bool read_operand(Expression& out);
    [[nodiscard]] bool read_function(Expression& out);
    [[nodiscard]] bool read_arguments(Expression& out);
    [[nodiscard]] bool check_arguments(Expression const& call, std::size_t at);
    [[nodiscard]] bool check_test(Expression const& operand, std::size_t at);
    [[nodiscard]] bool check_comparable(Expression const& operand, std::size_t at);
    [[nodiscard]] std::optional<Comparison> take_comparison();

    // jsonpath_text.cpp: strings and numbers
    [[nodiscard]] bool read_string(std::string& out);
    [[nodiscard]] bool read_escape(std::string& out, char quote);
    [[nodiscard]] bool read_unicode_escape(std::string& out);
    [[nodiscard]] bool read_hex_unit(std::uint32_t& out);
    [[nodiscard]] bool read_integer(std::int64_t& out);
    [[nodiscard]] bool read_number(Literal& out);

    [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
    [[nodiscard]] bool comes(std::string_view word) const {
        return text_.substr(at_, word.size()) == word;
    }
    bool take(std::string_view word) {
        if (!comes(word)) return false;
        at_ += word.size();
        return true;
    }
    // RFC 9535, 2.1.1: S.
    void skip_space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
            ++at_;
    }
    bool fail(std::string error, std::string hint = {}) {
        return fail_at(at_, std::move(error), std::move(hint));
    }
    bool fail_at(std::size_t at, std::string error, std::string hint = {}) {
        problem_ = {std::nullopt, at, std::move(error), std::move(hint)};
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t nesting_ = 0;
    Parsed problem_;
};

} // namespace sallyport::contract::jsonpath
