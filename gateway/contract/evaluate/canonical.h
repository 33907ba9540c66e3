// One byte sequence for one JSON value: two values are equal (JSON Schema 2020-12 core, 4.2.2) if
// these are.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/text/json_text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// What both sides, values of bodies and constants of contracts, are written with.
namespace canonical {
void append_string(std::string& out, std::string_view text);
void append_number(std::string& out,
                   std::string_view number); // a number's text: 1.0 and 1 are one value
inline constexpr char null = 'n';
inline constexpr char true_value = 't';
inline constexpr char false_value = 'f';
inline constexpr char array_begin = '[';
inline constexpr char array_end = ']';
inline constexpr char object_begin = '{'; // then names and values, ordered by name
inline constexpr char object_end = '}';
} // namespace canonical

/// Writes values of bodies. Keeps its scratch memory.
class CanonicalWriter {
public:
    void append(std::string& out, Tape const& tape, NumberTexts& texts, TapeIndex at);

private:
    std::vector<TapeIndex> names_; // of the objects that are open
};

} // namespace sallyport::contract
