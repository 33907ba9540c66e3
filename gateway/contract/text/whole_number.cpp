// Integers, by the text of a number.
#include "gateway/contract/text/whole_number.h"

#include "gateway/contract/text/decimal.h"

namespace sallyport::contract {

bool is_whole_number(std::string_view text) noexcept {
    Decimal const value{text};
    if (!value.is_integer()) return false;
    // Digits alone are an integer to readers that have large ones.
    if (text.find_first_of("eE") == std::string_view::npos) return true;
    // IEEE 754, 4.3.1: infinite from half a step above the largest finite number, 2^1024 - 2^970.
    static Decimal const infinite{
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "342711559699508093042880177904174497792"};
    Decimal const magnitude{text.substr(text.front() == '-' ? 1 : 0)};
    return Decimal::compare(magnitude, infinite) < 0;
}

} // namespace sallyport::contract
