// Which cases each driver omits, and how many it must send: `drivers.yaml`.
#pragma once

#include "tests/clients/corpus.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

struct DriverRow {
    std::string name;
    std::size_t drives = 0;                    // exactly that many
    std::map<std::string, std::string> cannot; // need -> why
};

/// Throws std::runtime_error if the file names an unknown need.
std::vector<DriverRow> read_drivers();
DriverRow driver_row(std::string_view name);

/// The cases that the driver can send.
std::vector<Case> cases_for(DriverRow const& driver, std::string_view host);

} // namespace sallyport::test
