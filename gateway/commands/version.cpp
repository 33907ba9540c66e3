// `sallyport version`: see version.h.
#include "gateway/commands/version.h"

#include "gateway/lifecycle/version.h"

#include <boost/version.hpp>
#include <openssl/crypto.h>

#include <ostream>

namespace sallyport::commands {

namespace {

std::string boost_version() {
    return std::to_string(BOOST_VERSION / 100'000) + '.'
           + std::to_string(BOOST_VERSION / 100 % 1'000) + '.'
           + std::to_string(BOOST_VERSION % 100);
}

} // namespace

int run_version(Format format, std::ostream& out) {
    // The OpenSSL in use, not the one at build time.
    char const* const openssl = ::OpenSSL_version(OPENSSL_VERSION_STRING);
    if (format == Format::json) {
        out << R"({"version":)" << json_string(lifecycle::version())
            << ",\"openssl\":" << json_string(openssl)
            << ",\"boost\":" << json_string(boost_version())
            << ",\"compiler\":" << json_string(__VERSION__) << "}\n";
    } else {
        out << "sallyport " << lifecycle::version() << "\nOpenSSL " << openssl << ", Boost "
            << boost_version() << ", compiler " << __VERSION__ << '\n';
    }
    return 0;
}

} // namespace sallyport::commands
