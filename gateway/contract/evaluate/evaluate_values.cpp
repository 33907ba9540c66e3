// Keywords for one value: exact for every spelling of a number.
#include "gateway/contract/evaluate/evaluate.h"
#include "gateway/contract/text/whole_number.h"
#include "gateway/text/utf8.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace sallyport::contract {

std::uint8_t Evaluator::bits_of(TapeIndex at) {
    switch (tape_.kind(at)) {
    case TapeKind::null: return value_bits::null;
    case TapeKind::true_value:
    case TapeKind::false_value: return value_bits::boolean;
    case TapeKind::string: return value_bits::string;
    case TapeKind::array: return value_bits::array;
    case TapeKind::object: return value_bits::object;
    default: break;
    }
    return is_integer(at) ? value_bits::integer | value_bits::number : value_bits::number;
}

bool Evaluator::is_integer(TapeIndex at) {
    // JSON Schema 2020-12 validation, 6.1.1: any number with a zero fractional part.
    if (!subject_.has_large_numbers) {
        if (tape_.kind(at) != TapeKind::number) return true;
        // An integer is never rounded to a fraction, but 5.00000000000000000001 is rounded to 5.
        double const value = tape_.number_value(at);
        if (value != std::trunc(value)) return false;
    }
    return is_whole_number(text_of(at));
}

int Evaluator::compare(TapeIndex at, NumberOperand const& bound) {
    if (!subject_.has_large_numbers) {
        if (tape_.kind(at) == TapeKind::signed_integer && bound.is_whole) {
            std::int64_t const value = tape_.signed_value(at);
            return value < bound.whole ? -1 : value > bound.whole ? 1 : 0;
        }
        // Rounding preserves the order: doubles that differ compare like the numbers.
        double value = bound.nearest;
        if (tape_.kind(at) == TapeKind::number) value = tape_.number_value(at);
        if (tape_.kind(at) == TapeKind::signed_integer) {
            value = static_cast<double>(tape_.signed_value(at));
        }
        if (value != bound.nearest) return value < bound.nearest ? -1 : 1;
    }
    return Decimal::compare(Decimal{text_of(at)}, bound.decimal);
}

bool Evaluator::is_multiple(TapeIndex at, NumberOperand const& divisor) {
    if (!subject_.has_large_numbers && divisor.is_whole
        && tape_.kind(at) == TapeKind::signed_integer) {
        // -1 is excluded: it is not a divisor (above 0), so that the remainder cannot overflow.
        return tape_.signed_value(at) % divisor.whole == 0;
    }
    auto const text = text_of(at);
    spend(text.size()); // divided digit by digit
    return Decimal{text}.is_multiple_of(divisor.coefficient, divisor.exponent);
}

bool Evaluator::is_one_of(TapeIndex at, ConstantSet const& constants) {
    TapeKind const kind = tape_.kind(at);
    if ((constants.kinds & likely_bits[static_cast<std::uint8_t>(kind)]) == 0) return false;
    switch (kind) {
    case TapeKind::null: return constants.has_null;
    case TapeKind::true_value: return constants.has_true;
    case TapeKind::false_value: return constants.has_false;
    case TapeKind::string: {
        auto const text = tape_.string(at);
        spend(text.size() / 16);
        return constants.strings.holds(text);
    }
    case TapeKind::signed_integer:
        if (!subject_.has_large_numbers) return constants.integers.holds(tape_.signed_value(at));
        break;
    default: break;
    }
    std::uint32_t const hash = hashes_.of(tape_, *subject_.texts, at);
    spend(hashes_.take_work());
    return constants.canonical.holds(hash, [this, at] {
        canonical_.clear();
        writer_.append(canonical_, tape_, *subject_.texts, at);
        spend(canonical_.size() / 4);
        return std::string_view{canonical_};
    });
}

bool Evaluator::fits(TapeIndex at, Format format) {
    if (!is_of_numbers(format)) {
        auto const text = tape_.string(at);
        spend(format == Format::regex ? 16 + text.size() : 1 + text.size() / 2);
        return has_format(format, text);
    }
    // A 64-bit integer on the tape is only checked further for 32 bits.
    if (!subject_.has_large_numbers && tape_.kind(at) == TapeKind::signed_integer) {
        std::int64_t const value = tape_.signed_value(at);
        return format != Format::int32
               || (value >= std::numeric_limits<std::int32_t>::min()
                   && value <= std::numeric_limits<std::int32_t>::max());
    }
    // The first numbers below and above the range of a format. IEEE 754, 4.3.1: a number is
    // infinite from half a step above the largest finite one: 2^128 - 2^103, and 2^1024 - 2^970.
    static std::array const limits{
        std::pair{Decimal{"-2147483649"}, Decimal{"2147483648"}},
        std::pair{Decimal{"-9223372036854775809"}, Decimal{"9223372036854775808"}},
        std::pair{Decimal{"-340282356779733661637539395458142568448"},
                  Decimal{"340282356779733661637539395458142568448"}},
        std::pair{
            Decimal{"-179769313486231580793728971405303415079934132710037826936173778980444968292"
                    "764750946649017977587207096330286416692887910946555547851940402630657488671"
                    "505820681908902000708383676273854845817711531764475730270069855571366959622"
                    "842914819860834936475292719074168444365510704342711559699508093042880177904"
                    "174497792"},
            Decimal{"179769313486231580793728971405303415079934132710037826936173778980444968292"
                    "764750946649017977587207096330286416692887910946555547851940402630657488671"
                    "505820681908902000708383676273854845817711531764475730270069855571366959622"
                    "842914819860834936475292719074168444365510704342711559699508093042880177904"
                    "174497792"}},
    };
    bool const is_whole = format == Format::int32 || format == Format::int64;
    if (is_whole && !is_integer(at)) return false;
    auto const& [below, above] =
        limits[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::int32)];
    Decimal const value{text_of(at)};
    return Decimal::compare(value, below) > 0 && Decimal::compare(value, above) < 0;
}

// Whether the text has at least that many code points.
bool Evaluator::has_code_points(std::string_view text, std::uint64_t least) {
    // A code point has one to four bytes.
    if (text.size() < least) return false;
    if (text.size() / 4 >= least) return true;
    spend(text.size() / 64);
    return text::count_code_points(text) >= least;
}

std::string_view Evaluator::text_of(TapeIndex at) {
    auto const text = subject_.texts->of(tape_, at);
    spend(6 + text.size() / 8); // searched among all numbers, and read digit by digit
    return text;
}

bool Evaluator::matches(std::size_t pattern, std::string_view text) {
    spend(6 + text.size() / 4);
    Pattern const& own = patterns_.of(*program_, pattern);
    std::uint64_t const most = own.most_looks(text.size());
    if (most > looks_) return matches_expensively(own, text);
    looks_ -= most;
    return own.is_in(text);
}

// A pattern that has several programs, or takes too long.
bool Evaluator::matches_expensively(Pattern const& pattern, std::string_view text) {
    spend((pattern.programs() - 1) * (6 + text.size() / 4));
    std::uint64_t const most = pattern.most_looks_of_all(text.size());
    if (most > looks_) {
        budget_ = 0;
        return true;
    }
    looks_ -= most;
    return pattern.is_in(text);
}

} // namespace sallyport::contract
