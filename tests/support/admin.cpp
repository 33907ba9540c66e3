// Requests to a gateway's admin listener, and the numbers on its page of metrics.
#include "tests/support/admin.h"

#include <sstream>
#include <stdexcept>

namespace sallyport::test {

Response request_admin(std::uint16_t port, std::string_view path, std::string_view method) {
    std::string request{method};
    request.append(" ").append(path).append(
        " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    return fetch(port, request, without_tls());
}

Response request_admin(Gateway const& gateway, std::string_view path) {
    return request_admin(gateway.admin_port(), path);
}

Metrics::Metrics(std::string const& page) {
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        auto const space = line.rfind(' ');
        auto const added =
            numbers_.emplace(line.substr(0, space), std::stod(line.substr(space + 1)));
        if (!added.second) throw std::runtime_error("twice on the page of metrics: " + line);
    }
}

double Metrics::operator[](std::string const& series) const {
    auto const found = numbers_.find(series);
    return found == numbers_.end() ? -1 : found->second;
}

double Metrics::sum(std::string const& name) const {
    double sum = 0;
    for (auto const& [series, number] : numbers_) {
        if (series == name || series.rfind(name + "{", 0) == 0) sum += number;
    }
    return sum;
}

Metrics metrics_of(Gateway const& gateway) {
    return Metrics{request_admin(gateway, "/metrics").body};
}

} // namespace sallyport::test
