// Translates ECMA-262 patterns to RE2's syntax, one construct at a time: a construct that is not
// listed here is refused.
#include "gateway/contract/patterns/pattern.h"

#include "gateway/contract/patterns/pattern_classes.h"
#include "gateway/contract/patterns/pattern_reader.h"
#include "gateway/contract/patterns/repetition.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sallyport::contract {

namespace {

constexpr std::size_t max_pattern = 4096;
constexpr std::size_t max_groups = 128; // nested
// Limit for characters and classes, with repetitions expanded.
constexpr std::uint64_t max_steps = 2500;

void append_code_point(std::string& out, char32_t code_point) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), hex[code_point & 0xF]);
        code_point >>= 4;
    } while (code_point != 0);
    out += "\\x{" + digits + "}";
}

[[nodiscard]] std::uint64_t number_from(std::string_view digits) noexcept {
    std::uint64_t value = 0;
    auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return result.ec == std::errc{} ? value : no_most - 1;
}

// Whether a construct without equivalent is an error, or skipped.
enum class Purpose : std::uint8_t { translate, check };

class Translator {
public:
    explicit Translator(std::string_view pattern, Purpose purpose = Purpose::translate)
        : reader_{pattern}, purpose_{purpose} {}

    Translation run() {
        if (reader_.rest().size() > max_pattern) {
            fail("it is longer than 4096 bytes", "write several patterns in allOf");
        }
        while (error_.empty() && !reader_.is_at_end())
            term();
        if (groups_.size() > 1)
            fail("a group is not closed", "write a ), or \\( for the character");
        check_references();
        Translation result;
        result.steps = std::max<std::uint64_t>(1, groups_.front().steps);
        result.error = std::move(error_);
        result.hint = std::move(hint_);
        if (!result.error.empty()) return result;
        if (shape_ == "^1{$") {
            // One class that is repeated over the whole text: its characters are counted without
            // RE2.
            result.text = "\\A" + out_.substr(atom_.begin, atom_.size) + "*\\z";
            result.least = counts_.least;
            result.most = counts_.most;
        } else if (has_no_boundary_) {
            // RE2 matches bytes: \B would match inside a character without the complete characters
            // before it.
            result.text = R"(\A[\x{0}-\x{10ffff}]*(?:)" + out_ + ')';
        } else {
            result.text = std::move(out_);
        }
        return result;
    }

private:
    // The contents of a group, or the whole pattern.
    struct Group {
        std::size_t begin = 0; // in out_
        std::uint64_t steps = 0;
        std::uint64_t product = 1; // the largest product of nested counts
        bool is_assertion = false;
    };
    // The operand of a quantifier.
    struct Atom {
        std::size_t begin = 0; // in out_
        std::size_t size = 0;
        std::uint64_t steps = 0;
        std::uint64_t product = 1;
    };

    void fail(std::string error, std::string hint) {
        if (!error_.empty()) return;
        error_ = std::move(error);
        hint_ = std::move(hint);
    }

    // Appends one character or class.
    void character(std::string_view text) {
        atom_ = {out_.size(), text.size(), 1, 1};
        groups_.back().steps += 1;
        out_ += text;
        shape_ += '1';
        is_repeatable_ = true;
    }

    void assertion(std::string_view text) {
        out_ += text;
        shape_ += text == "\\A" ? '^' : text == "\\z" ? '$' : '?';
        is_repeatable_ = false;
    }

    // ECMA-262, 22.2.1: Term, and the `|` and `)` between terms.
    void term() {
        switch (reader_.rest().front()) {
        case '|': reader_.skip(1); return assertion("|");
        case '^': reader_.skip(1); return assertion("\\A");
        case '$': reader_.skip(1); return assertion("\\z");
        case '(': return open_group();
        case ')': return close_group();
        case '*':
        case '+':
        case '?': {
            std::string_view const mark = reader_.rest().substr(0, 1);
            if (!begin_quantifier()) return;
            reader_.skip(1);
            out_ += mark;
            return end_quantifier('?');
        }
        case '{': return braces();
        case '.': reader_.skip(1); return character("[^" + std::string{line_terminators} + "]");
        case '[': return character_class();
        case '\\': return escape();
        default: break;
        }
        std::string text;
        append_code_point(text, reader_.take_code_point());
        character(text);
    }

    void open_group() {
        reader_.skip(1);
        if (groups_.size() > max_groups) {
            return fail("groups are nested too deeply", "write several patterns in allOf");
        }
        Group group{out_.size(), 0, 1, false};
        if (reader_.take("?<=") || reader_.take("?<!") || reader_.take("?=")
            || reader_.take("?!")) {
            if (purpose_ == Purpose::translate) {
                return fail("look-around has no equivalent in linear time",
                            "write several patterns in allOf, or one in not");
            }
            group.is_assertion = true;
        } else if (reader_.take("?<")) {
            if (!take_group_name()) return;
        } else if (!reader_.take("?:")) {
            if (reader_.is_at("?")) {
                return fail("a group begins with an unknown (?", "write (?: or (");
            }
            ++captures_;
        }
        // Groups do not capture: their contents are not needed.
        groups_.push_back(group);
        assertion("(?:");
    }

    // The name of a group and the `>` after it. ECMA-262, 22.2.1.1: names are unique.
    [[nodiscard]] bool take_group_name() {
        ++captures_;
        auto name = take_name();
        if (!name) return false;
        if (std::find(names_.begin(), names_.end(), *name) != names_.end()) {
            fail("two groups have the name " + *name, "write another name, or (?:");
            return false;
        }
        names_.push_back(std::move(*name));
        return true;
    }

    // ECMA-262, 22.2.1: RegExpIdentifierName, and the `>` after it.
    std::optional<std::string> take_name() {
        std::string name;
        while (!reader_.is_at_end() && !reader_.is_at(">")) {
            std::optional<char32_t> const c =
                reader_.take("\\u") ? reader_.take_unicode_escape() : reader_.take_code_point();
            // An invalid escape makes an invalid name, like a space.
            text::append_utf8(name, c.value_or(U' '));
        }
        if (!reader_.take(">") || name.empty()) {
            fail("a group name is not closed", "write (?<name>");
            return std::nullopt;
        }
        if (is_group_name(name)) return name;
        fail("a group has an invalid name", "write letters, digits and _, no digit first");
        return std::nullopt;
    }

    void close_group() {
        reader_.skip(1);
        if (groups_.size() == 1) {
            return fail("a ) has no matching (", "write \\) for the character");
        }
        Group const group = groups_.back();
        groups_.pop_back();
        if (group.is_assertion) return assertion(")");
        out_ += ')';
        shape_ += '?';
        is_repeatable_ = true;
        // At least one step, so that a count is bounded whatever it repeats.
        std::uint64_t const steps = std::max<std::uint64_t>(1, group.steps);
        atom_ = {group.begin, out_.size() - group.begin, steps, group.product};
        groups_.back().steps += steps;
        groups_.back().product = std::max(groups_.back().product, group.product);
    }

    [[nodiscard]] bool begin_quantifier() {
        if (is_repeatable_) return true;
        fail("a quantifier has nothing to repeat", "write a backslash in front of it");
        return false;
    }

    void end_quantifier(char shape) {
        // Lazy and greedy quantifiers match the same texts.
        (void)reader_.take("?");
        shape_ += shape;
        is_repeatable_ = false;
    }

    // {n}, {n,} or {n,m}; otherwise a literal brace (ECMA-262, B.1.2).
    void braces() {
        PatternReader ahead = reader_;
        ahead.skip(1);
        std::string_view const least = ahead.take_digits();
        bool const has_comma = ahead.take(",");
        std::string_view const most = has_comma ? ahead.take_digits() : least;
        if (least.empty() || !ahead.take("}")) {
            reader_.skip(1);
            return character("\\{");
        }
        if (!begin_quantifier()) return;
        reader_ = ahead;
        counts_ = {number_from(least), most.empty() ? no_most : number_from(most)};
        // ECMA-262, 22.2.1.1
        if (counts_.least > counts_.most) {
            return fail("a repetition has a minimum above its maximum", "swap the two");
        }
        if (purpose_ == Purpose::translate) write_counted();
        end_quantifier('{');
    }

    void write_counted() {
        // Characters over the whole text are counted separately (see run), without limit.
        if (shape_ == "^1" && (reader_.rest() == "$" || reader_.rest() == "?$")) return;
        std::uint64_t const count =
            std::max({counts_.least, counts_.most == no_most ? 0 : counts_.most, std::uint64_t{1}});
        Group& group = groups_.back();
        if (count > max_steps / atom_.steps) return fail_with_steps();
        group.steps += atom_.steps * (count - 1);
        if (group.steps > max_steps) return fail_with_steps();
        std::string const part = out_.substr(atom_.begin, atom_.size);
        std::uint64_t const largest = std::max<std::uint64_t>(1, max_re2_count / atom_.product);
        out_.resize(atom_.begin);
        out_ += repeat(part, counts_, largest);
        group.product = std::max(group.product, atom_.product * std::min(count, largest));
    }

    void fail_with_steps() {
        fail("its repetitions expand to more than 2500 characters",
             "write smaller counts, or minLength and maxLength for the whole text");
    }

    void escape() {
        reader_.skip(1);
        if (reader_.is_at_end()) return fail("it ends in a backslash", "write two, or none");
        char const c = reader_.rest().front();
        if (c == 'b' || c == 'B') {
            reader_.skip(1);
            has_no_boundary_ = has_no_boundary_ || c == 'B';
            return assertion(c == 'b' ? "\\b" : "\\B");
        }
        if ((c >= '1' && c <= '9') || c == 'k') return back_reference();
        if (auto const set = take_class_escape()) {
            // An empty set: \P{Any}.
            return character(set->empty() ? R"([^\x{0}-\x{10ffff}])" : "[" + *set + "]");
        }
        std::string text;
        if (auto const code_point = take_character_escape()) append_code_point(text, *code_point);
        character(text);
    }

    void back_reference() {
        if (purpose_ == Purpose::translate) {
            return fail("a back-reference has no equivalent in linear time",
                        "write out what it may repeat");
        }
        if (reader_.take("k")) {
            auto name = reader_.take("<") ? take_name() : std::nullopt;
            if (!name) return fail("\\k needs <a name>", "write \\k<name>");
            referenced_names_.push_back(std::move(*name));
        } else {
            referenced_captures_ =
                std::max(referenced_captures_, number_from(reader_.take_digits()));
        }
        character("(?:)");
    }

    // ECMA-262, 22.2.1.1: the referenced group must exist, possibly later in the pattern.
    void check_references() {
        auto const is_known = [this](std::string const& name) {
            return std::find(names_.begin(), names_.end(), name) != names_.end();
        };
        if (referenced_captures_ > captures_
            || !std::all_of(referenced_names_.begin(), referenced_names_.end(), is_known)) {
            fail("a back-reference refers to no group", "write the number or name of a group");
        }
    }

    // \d \D \w \W \s \S \p{...} \P{...}, for the inside of a class; nullopt: it is something else,
    // or an error.
    std::optional<std::string> take_class_escape() {
        std::string_view const rest = reader_.rest();
        char const c = rest.front();
        if (auto const set = class_escape(c); !set.empty()) {
            reader_.skip(1);
            return std::string{set};
        }
        if (c != 'p' && c != 'P') return std::nullopt;
        std::size_t const end = rest.find('}');
        if (rest.size() < 2 || rest[1] != '{' || end == std::string_view::npos) {
            fail("\\p needs {a property}", "write such as \\p{L}");
            return std::nullopt;
        }
        PropertyClass property = property_class(rest.substr(2, end - 2), c == 'P');
        if (!property.error.empty()) {
            fail(std::move(property.error),
                 "write a general category or a script, such as \\p{L} or \\p{Script=Greek}");
        }
        reader_.skip(end + 1);
        return std::move(property.text);
    }

    std::optional<char32_t> take_character_escape() {
        if (!error_.empty()) return std::nullopt;
        char const c = reader_.rest().front();
        auto const code_point = reader_.take_character_escape();
        if (!code_point) {
            fail(std::string{"the escape \\"} + c + " is not defined",
                 "write the character without a backslash");
        }
        return code_point;
    }

    // ECMA-262, 22.2.1: CharacterClass
    void character_class() {
        reader_.skip(1);
        bool const is_negated = reader_.take("^");
        std::string set;
        while (error_.empty() && !reader_.take("]")) {
            if (reader_.is_at_end()) return fail_in_class();
            auto const low = take_class_atom(set);
            if (reader_.is_at("-") && !reader_.is_at("-]")) {
                reader_.skip(1);
                if (reader_.is_at_end()) return fail_in_class();
                std::string other;
                auto const high = take_class_atom(other);
                if (!low || !high) {
                    return fail("a range in a class needs a character at each end",
                                "write \\- for the character");
                }
                if (*high < *low) {
                    return fail("a range in a class is out of order", "swap its ends");
                }
                append_code_point(set, *low);
                set += '-';
                append_code_point(set, *high);
            } else if (low) {
                append_code_point(set, *low);
            }
        }
        if (set.empty()) {
            // `[]` matches nothing, `[^]` any character.
            return character(is_negated ? R"([\x{0}-\x{10ffff}])" : R"([^\x{0}-\x{10ffff}])");
        }
        character((is_negated ? "[^" : "[") + set + "]");
    }

    void fail_in_class() { fail("a class is not closed", "write a ], or \\[ for the character"); }

    // A character; nullopt: a class, which was appended to `set`, or an error.
    std::optional<char32_t> take_class_atom(std::string& set) {
        if (!reader_.take("\\")) return reader_.take_code_point();
        if (reader_.is_at_end()) {
            fail("it ends in a backslash", "write two, or none");
            return std::nullopt;
        }
        if (auto const known = take_class_escape()) {
            set += *known;
            return std::nullopt;
        }
        if (reader_.take("b")) return U'\b';
        return take_character_escape();
    }

    PatternReader reader_;
    std::string out_;
    std::string shape_; // of the pattern: "^1{$" is one class, counted, from end to end
    std::string error_;
    std::string hint_;
    std::vector<Group> groups_{Group{}}; // the innermost last
    Atom atom_;                          // if is_repeatable_; or the last one
    Counts counts_;                      // of the last counted repetition
    bool is_repeatable_ = false;
    bool has_no_boundary_ = false;
    std::uint64_t captures_ = 0;
    std::uint64_t referenced_captures_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> referenced_names_;
    Purpose purpose_;
};

} // namespace

Translation translate_pattern(std::string_view pattern) {
    return Translator{pattern}.run();
}

bool is_pattern(std::string_view text) {
    return Translator{text, Purpose::check}.run().error.empty();
}

} // namespace sallyport::contract
