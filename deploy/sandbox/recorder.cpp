// A file opened for appending; a line is one write as far as the system allows.
#include "deploy/sandbox/recorder.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <openssl/evp.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace sallyport::sandbox {
namespace {

std::system_error failure(std::string const& what) {
    return std::system_error{errno, std::generic_category(), what};
}

// RFC 4648, 4.
std::string to_base64(std::string const& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '\0'); // and the terminator that OpenSSL writes
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                    reinterpret_cast<unsigned char const*>(bytes.data()),
                    static_cast<int>(bytes.size()));
    return text;
}

} // namespace

Recorder::Recorder(std::string const& path)
    : file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR)} {
    if (file_ < 0) throw failure(path);
}

Recorder::~Recorder() {
    ::close(file_);
}

void Recorder::write(Request const& request) {
    // Bytes of a target or a field that are not UTF-8 are written unchanged.
    boost::json::array fields;
    for (auto const& [name, value] : request.fields) {
        fields.push_back(boost::json::array{name, value});
    }
    boost::json::object const record{{"method", request.method},
                                     {"target", request.target},
                                     {"fields", std::move(fields)},
                                     {"body", to_base64(request.body)}};
    std::string const line = boost::json::serialize(record) + '\n';
    std::size_t written = 0;
    while (written < line.size()) {
        ssize_t const n = ::write(file_, line.data() + written, line.size() - written);
        if (n < 0 && errno != EINTR) throw failure("the record");
        if (n > 0) written += static_cast<std::size_t>(n);
    }
}

} // namespace sallyport::sandbox
