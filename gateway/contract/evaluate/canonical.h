// A canonical byte sequence for a JSON value: two values are equal (JSON Schema 2020-12 core,
// 4.2.2) if, and only if, their sequences are.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/text/json_text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// The format of the sequences, for values of bodies and for constants of contracts.
namespace canonical {
void append_string(std::string& out, std::string_view text);
void append_number(std::string& out,
                   std::string_view number); // the JSON text of a number: 1.0 and 1 are equal
inline constexpr char null = 'n';
inline constexpr char true_value = 't';
inline constexpr char false_value = 'f';
inline constexpr char array_begin = '[';
inline constexpr char array_end = ']';
inline constexpr char object_begin = '{'; // followed by names and values, sorted by name
inline constexpr char object_end = '}';
} // namespace canonical

/// Writes values of bodies. Reuses its scratch memory.
class CanonicalWriter {
public:
    /// Appends the value at `at`; `texts` belongs to the text of `tape`.
    void append(std::string& out, Tape const& tape, NumberTexts& texts, TapeIndex at);

private:
    std::vector<TapeIndex> names_; // of the open objects
};

} // namespace sallyport::contract
