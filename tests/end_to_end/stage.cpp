// Builds and ends stages.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace sallyport::test {
namespace {

Configuration configure(RecordingUpstream const& upstream, Change const& change) {
    auto configuration = standard_configuration(upstream);
    if (change) change(configuration);
    return configuration;
}

// Flow mappings of the builder end in " }\n".
void add_keys(std::string& yaml, std::string const& more) {
    std::string result;
    std::size_t begin = 0;
    for (auto end = yaml.find(" }\n"); end != std::string::npos; end = yaml.find(" }\n", begin)) {
        result += yaml.substr(begin, end - begin) + ", " + more + " }\n";
        begin = end + 3;
    }
    yaml = result;
}

} // namespace

Stage::Stage(RecordingUpstream::Script script, Change const& change,
             Gateway::Options const& options)
    : upstream(std::move(script)), gateway(configure(upstream, change), options) {}

std::string Stage::rule_of(Json const& line) const {
    if (line["auth_rule"].is_null()) return "none";
    auto const place = line.text("auth_rule");
    auto const colon = place.rfind(':');
    auto const file = place.substr(place.rfind('/') + 1, colon - place.rfind('/') - 1);
    auto const text = read_file(gateway.folder() / file);
    std::size_t begin = 0;
    for (auto left = std::stoul(place.substr(colon + 1)); left > 1; --left)
        begin = text.find('\n', begin) + 1;
    begin = text.find_first_not_of(' ', begin);
    return text.substr(begin, text.find('\n', begin) - begin);
}

void Stage::finish() {
    CHECK(gateway.stop() == 0);
    CHECK(upstream.protocol_errors() == std::vector<std::string>{});
}

Change with_limits(std::string limits) {
    return [limits](Configuration& configuration) { configuration.limits += "  " + limits + "\n"; };
}

Change with_management(std::string more) {
    return [more](Configuration& configuration) {
        configuration.apis = api_yaml("management", more) + api_yaml("observability");
    };
}

Change with_upstream(std::string more) {
    return [more](Configuration& configuration) { add_keys(configuration.upstreams, more); };
}

Change both(Change first, Change second) {
    return [first, second](Configuration& configuration) {
        first(configuration);
        second(configuration);
    };
}

} // namespace sallyport::test
