// A configuration for tests: the part under test first, so that its lines count from 1, then what
// else must be there.
#pragma once

#include "config/load.h"
#include "tests/unit/support/tables.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::config::test {

inline constexpr std::string_view listeners =
    "listeners: [{ name: public, address: \"127.0.0.1:0\", tls: off }]\n";
inline constexpr std::string_view upstreams =
    "upstreams: { up: { endpoints: [\"http://a:1\"] } }\n";
inline constexpr std::string_view apis =
    "apis: { files: { paths: [\"/f/\"], upstream: up, authenticate: [anonymous] } }\n";

using sallyport::test::tables;

// Environment and files that exist in the test alone.
struct World {
    std::map<std::string, std::string> variables;
    std::map<std::string, std::string> files;

    [[nodiscard]] Resolver resolver() const {
        Resolver out;
        out.environment = [this](std::string const& name) -> std::optional<std::string> {
            auto const found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        };
        out.file = [this](std::string const& path) -> FileText {
            auto const found = files.find(path);
            if (found == files.end()) return {{}, "No such file or directory"};
            return {found->second, {}};
        };
        return out;
    }
};

inline std::string described(yaml::Problems const& problems) {
    std::string out;
    for (auto const& problem : problems)
        out += describe(problem) + '\n';
    return out;
}

// `part` and, of the three sections that must be there, those that it does not begin with.
inline std::string whole(std::string_view part) {
    std::string out{part};
    for (std::string_view const section : {listeners, upstreams, apis}) {
        std::string_view const key = section.substr(0, section.find(':') + 1);
        bool const is_there = out.compare(0, key.size(), key) == 0
                              || out.find('\n' + std::string{key}) != std::string::npos;
        if (!is_there) out += section;
    }
    return out;
}

inline ReadConfig read(std::string_view part, World const& world = {},
                       Tables const& with = tables()) {
    return read_config(yaml::load_text(whole(part), "c.yaml"), "etc", with, world.resolver());
}

inline ReadCredentials read_keys(std::string_view text, World const& world = {},
                                 Tables const& with = tables()) {
    return read_credentials(yaml::load_text(text, "k.yaml"), "etc", {"management", "files"}, with,
                            world.resolver());
}

} // namespace sallyport::config::test
