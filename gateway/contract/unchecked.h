// Places of a document that are valid and cannot be enforced.
#pragma once

#include "config/yaml.h"

#include <cstdint>
#include <string>

namespace sallyport::contract {

/// What happens to a document with such places.
enum class Unsupported : std::uint8_t {
    refuse,    // each of them is an error
    unchecked, // it is loaded without their rules
};

/// One such place. What it says is not checked; everything else of the document is.
struct UncheckedPlace {
    config::yaml::Mark mark;
    std::string path; // in the document
    std::string what; // "the keyword \"dependencies\" is not implemented"
};

} // namespace sallyport::contract
