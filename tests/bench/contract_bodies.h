// The bodies and schemas that the contract benchmarks measure.
#pragma once

#include <cstddef>
#include <string>

namespace sallyport::bench {

struct Sample {
    std::string operation; // of the management contract
    std::string body;      // valid
    std::string schema;    // its schema as plain JSON Schema, for others
};

[[nodiscard]] Sample settings_sample(); // 451 bytes
[[nodiscard]] Sample create_sample();   // 2.5 KB

[[nodiscard]] std::string object_of(std::size_t members); // with a name each
[[nodiscard]] std::string text_of(std::size_t size);      // a valid object of that many bytes

} // namespace sallyport::bench
