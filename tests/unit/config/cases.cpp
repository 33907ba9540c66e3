// Tables of refused documents: see cases.h.
#include "cases.h"

#include <fstream>
#include <stdexcept>

namespace sallyport::config::test {

std::vector<Case> read_cases(std::string const& name, std::string_view file) {
    std::ifstream table{std::string{SALLYPORT_CONFIG_TESTS} + "/refused/" + name};
    if (!table.is_open()) throw std::runtime_error("there is no table " + name);
    std::vector<Case> out;
    Case current;
    auto const finish = [&] {
        if (!current.text.empty()) out.push_back(current);
        current = {};
    };
    for (std::string line; std::getline(table, line);) {
        if (line.empty()) {
            finish();
        } else if (line.compare(0, 3, "-> ") == 0) {
            current.problems += std::string{file} + line.substr(3) + '\n';
        } else if (line.front() != '#') {
            current.text += line + '\n';
        }
    }
    finish();
    return out;
}

} // namespace sallyport::config::test
