// What reached the sandbox: its record, read line by line while it grows.
#pragma once

#include "tests/support/message.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace sallyport::test {

struct Recorded {
    std::string method;
    std::string target;
    Fields fields;
    std::string body_base64;
};

// The sandbox writes a request down whole before it answers: who has an answer can read it.
class Record {
public:
    explicit Record(std::filesystem::path path) : path_(std::move(path)) {}

    // What came since the last call.
    std::vector<Recorded> next();
    // Everything that ever came, as it stands in the file.
    [[nodiscard]] std::string whole() const;

private:
    std::filesystem::path path_;
    std::size_t read_ = 0; // bytes
};

} // namespace sallyport::test
