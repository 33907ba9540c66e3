// Reads the table of drivers.
#include "tests/clients/drivers.h"

#include "tests/clients/needs.h"

#include <algorithm>
#include <stdexcept>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include <yaml-cpp/yaml.h>
#pragma GCC diagnostic pop

namespace sallyport::test {

std::vector<DriverRow> read_drivers() {
    auto const path = clients_folder() / "drivers.yaml";
    std::vector<DriverRow> rows;
    for (auto const& node : YAML::LoadFile(path.string())) {
        DriverRow row;
        row.name = node["name"].as<std::string>();
        row.drives = node["drives"].as<std::size_t>();
        for (auto const& entry : node["cannot"]) {
            auto const need = entry.first.as<std::string>();
            auto const& known = all_needs();
            if (std::find(known.begin(), known.end(), need) == known.end())
                throw std::runtime_error("drivers.yaml: no such need: " + need);
            row.cannot[need] = entry.second.as<std::string>();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

DriverRow driver_row(std::string_view name) {
    for (auto& row : read_drivers())
        if (row.name == name) return std::move(row);
    throw std::runtime_error("drivers.yaml has no driver " + std::string{name});
}

std::vector<Case> cases_for(DriverRow const& driver, std::string_view host) {
    std::vector<Case> cases;
    for (auto& one : read_corpus(clients_folder() / "corpus", host)) {
        auto const needs = needs_of(one, host);
        bool const is_possible =
            std::none_of(needs.begin(), needs.end(),
                         [&](std::string const& need) { return driver.cannot.count(need) != 0; });
        if (is_possible) cases.push_back(std::move(one));
    }
    return cases;
}

} // namespace sallyport::test
