// Records requests for tests: one JSON object per line.
#pragma once

#include "deploy/sandbox/message.h"

#include <string>

namespace sallyport::sandbox {

/// {"method": ..., "target": ..., "fields": [[name, value], ...], "body": base64}. Credentials are
/// among the fields, so the file is readable by its owner only. Owned by main and used by one
/// thread.
class Recorder {
public:
    /// Appends to the file, or creates it with mode 0600. Throws std::system_error on failure.
    explicit Recorder(std::string const& path);
    ~Recorder();
    Recorder(Recorder const&) = delete;
    Recorder& operator=(Recorder const&) = delete;

    /// Writes the whole line before it returns: a client that has the response can read it. Throws
    /// std::system_error.
    void write(Request const& request);

private:
    int file_;
};

} // namespace sallyport::sandbox
