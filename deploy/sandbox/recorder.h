// Writes down what arrived, for tests: one JSON object a line.
#pragma once

#include "deploy/sandbox/message.h"

#include <string>

namespace sallyport::sandbox {

// {"method": ..., "target": ..., "fields": [[name, value], ...], "body": base64}. Credentials are
// among the fields, so the file is readable by its owner only. Owned by main and used by one
// thread.
class Recorder {
public:
    // Appends to the file, or makes it with mode 0600. Throws std::system_error where it cannot.
    explicit Recorder(std::string const& path);
    ~Recorder();
    Recorder(Recorder const&) = delete;
    Recorder& operator=(Recorder const&) = delete;

    // Written whole before it returns: who has the answer can read the line. Throws
    // std::system_error.
    void write(Request const& request);

private:
    int file_;
};

} // namespace sallyport::sandbox
