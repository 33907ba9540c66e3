// A folder with a configuration that loads, in which the commands of the program are tried.
#pragma once

#include "tests/end_to_end/stage.h"

#include <string>

namespace sallyport::test {

// sallyport.yaml, credentials.yaml and copies of certificates.
struct Prepared {
    Prepared() : configuration(standard_configuration("http://127.0.0.1:9", "http://127.0.0.1:9")) {
        write();
        folder.write("credentials.yaml", standard_credentials());
    }
    void write() const { folder.write("sallyport.yaml", configuration.text()); }
    void write(std::string const& text) const { folder.write("sallyport.yaml", text); }
    [[nodiscard]] Finished check() const {
        return run_gateway({"check", "-c", "sallyport.yaml"}, {}, folder.path());
    }
    [[nodiscard]] Finished start() const {
        return run_gateway({"run", "-c", "sallyport.yaml"}, {}, folder.path());
    }

    TemporaryFolder folder;
    Configuration configuration;
};

} // namespace sallyport::test
