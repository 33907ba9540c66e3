// The requests that reached the sandbox: its record, read line by line while it grows.
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

/// The sandbox records a request completely before it responds: a client that has the response can
/// read it.
class Record {
public:
    explicit Record(std::filesystem::path path) : path_(std::move(path)) {}

    /// The requests since the last call.
    std::vector<Recorded> next();
    /// The whole content of the file.
    [[nodiscard]] std::string whole() const;

private:
    std::filesystem::path path_;
    std::size_t read_ = 0; // bytes
};

} // namespace sallyport::test
