// I-Regexp (RFC 9485): the patterns of match() and search() in JSONPath.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::contract::jsonpath {

/// An ECMA-262 pattern (patterns/pattern.h) for the same texts, or why it is no I-Regexp.
struct EcmaPattern {
    std::string text;
    std::string error; // empty: none
};

enum class Extent : bool { anywhere, whole };

/// RFC 9485, 5.3 and 5.4. `^` and `$` outside of classes are anchors, as that section reads them,
/// although the grammar of section 3 has them among the normal characters.
[[nodiscard]] EcmaPattern translate_iregexp(std::string_view text, Extent extent);

} // namespace sallyport::contract::jsonpath
