// A recursive descent over the expression, limited in depth and terms.
#include "deploy/sandbox/filter.h"

#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/points.h"

#include <charconv>
#include <optional>

namespace sallyport::sandbox {
namespace {

constexpr std::size_t longest_expression = 4096; // bytes
constexpr int deepest = 16;
constexpr int most_terms = 64;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The end of a word; a colon is not, because times and addresses contain colons.
bool ends_word(char c) {
    return is_blank(c) || c == '(' || c == ')' || c == '"';
}

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// The first error empties the text, which ends every loop of the descent.
class Descent {
public:
    explicit Descent(std::string_view text) : text_{text} {}

    std::variant<Sql, FilterProblem> whole() {
        skip_blanks();
        if (text_.empty()) return Sql{"1", {}};
        Sql condition = any_of(0);
        if (!text_.empty()) (void)refuse("where has a bracket too many");
        if (!problem_.empty()) return FilterProblem{problem_};
        return condition;
    }

private:
    Sql refuse(std::string text) {
        if (problem_.empty()) problem_ = std::move(text);
        text_ = {};
        return {};
    }

    void skip_blanks() {
        while (!text_.empty() && is_blank(text_.front()))
            text_.remove_prefix(1);
    }

    // Consumes the keyword if it is a word of its own.
    bool take_keyword(std::string_view keyword) {
        if (!next_is(keyword)) return false;
        text_.remove_prefix(keyword.size());
        return true;
    }

    bool next_is(std::string_view keyword) {
        skip_blanks();
        if (!text_.starts_with(keyword)) return false;
        return text_.size() == keyword.size() || ends_word(text_[keyword.size()]);
    }

    bool take(char c) {
        skip_blanks();
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }

    bool at_end_of_group() {
        skip_blanks();
        return text_.empty() || text_.front() == ')';
    }

    Sql any_of(int depth) {
        Sql sql{"(", {}};
        sql.add(all_of(depth));
        while (take_keyword("OR")) {
            sql.add(" OR ");
            sql.add(all_of(depth));
        }
        sql.add(")");
        return sql;
    }

    Sql all_of(int depth) {
        Sql sql = negatable(depth);
        for (;;) {
            bool const has_keyword = take_keyword("AND");
            if (!has_keyword && (at_end_of_group() || next_is("OR"))) return sql;
            sql.add(" AND ");
            sql.add(negatable(depth));
        }
    }

    Sql negatable(int depth) {
        if (depth > deepest) return refuse("where is nested too deeply");
        if (take_keyword("NOT") || take('-') || take('!')) {
            Sql sql{"NOT ", {}};
            sql.add(negatable(depth + 1));
            return sql;
        }
        if (take('(')) {
            Sql sql = any_of(depth + 1);
            if (!take(')')) return refuse("where has a bracket too few");
            return sql;
        }
        return term();
    }

    // Each is true or false, never null: NOT is true for points without the field.
    Sql term() {
        if (++terms_ > most_terms) return refuse("where has too many terms");
        skip_blanks();
        if (text_.starts_with('"')) return contains("message", quoted());
        std::size_t const colon = text_.substr(0, word_length()).find(':');
        if (colon == std::string_view::npos) return contains("message", word());
        PointField const* const field = find_point_field(text_.substr(0, colon));
        if (field == nullptr) return refuse("where has a field that is not known");
        text_.remove_prefix(colon + 1);
        return compared(*field);
    }

    Sql compared(PointField const& field) {
        std::string const column{field.column};
        if (text_.starts_with('"')) return Sql{"(" + column + " = ?) IS TRUE", {quoted()}};
        if (text_.starts_with('[')) return in_range(field);
        std::string_view const value = word();
        if (value == "*") return Sql{"(" + column + " IS NOT NULL)", {}};
        for (std::string_view const sign : {">=", "<=", ">", "<"}) {
            if (value.starts_with(sign)) {
                return beside(field, sign, value.substr(sign.size()));
            }
        }
        if (field.type == FieldType::number) return beside(field, "=", value);
        return contains(field.column, value);
    }

    Sql beside(PointField const& field, std::string_view sign, std::string_view value) {
        auto const number = number_of(value);
        if (field.type != FieldType::number || !number) return refuse_number(field);
        return Sql{"(" + std::string{field.column} + " " + std::string{sign} + " ?) IS TRUE",
                   {*number}};
    }

    Sql in_range(PointField const& field) {
        constexpr std::string_view between = " TO ";
        std::size_t const end = text_.find(']');
        std::string_view const range = text_.substr(0, end);
        std::size_t const middle = range.find(between);
        if (end == std::string_view::npos || middle == std::string_view::npos) {
            return refuse("a range of where is not [NUMBER TO NUMBER]");
        }
        text_.remove_prefix(end + 1);
        auto const low = number_of(range.substr(1, middle - 1));
        auto const high = number_of(range.substr(middle + between.size()));
        if (field.type != FieldType::number || !low || !high) return refuse_number(field);
        return Sql{"(" + std::string{field.column} + " BETWEEN ? AND ?) IS TRUE", {*low, *high}};
    }

    Sql refuse_number(PointField const& field) {
        std::string const name{field.name};
        return refuse(field.type == FieldType::number
                          ? "where must compare " + name + " with a number"
                          : "where compares " + name + ", which is not a number");
    }

    static Sql contains(std::string_view column, std::string_view part) {
        while (part.starts_with('*'))
            part.remove_prefix(1);
        while (part.ends_with('*'))
            part.remove_suffix(1);
        return Sql{"(instr(lower(" + std::string{column} + "), ?) > 0) IS TRUE", {to_lower(part)}};
    }

    [[nodiscard]] std::size_t word_length() const {
        std::size_t length = 0;
        while (length < text_.size() && !ends_word(text_[length]))
            ++length;
        return length;
    }

    std::string_view word() {
        std::size_t const length = word_length();
        if (length == 0) (void)refuse("where lacks a term");
        std::string_view const found = text_.substr(0, length);
        text_.remove_prefix(found.size());
        return found;
    }

    std::string_view quoted() {
        std::size_t const end = text_.find('"', 1);
        if (end == std::string_view::npos) {
            (void)refuse("where has a quotation mark too few");
            return {};
        }
        std::string_view const found = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return found;
    }

    std::string_view text_;
    std::string problem_;
    int terms_ = 0;
};

} // namespace

std::variant<Sql, FilterProblem> compile_filter(std::string_view expression) {
    if (expression.size() > longest_expression) return FilterProblem{"where is too long"};
    return Descent{expression}.whole();
}

} // namespace sallyport::sandbox
