// The dependencies between the modules, checked against every #include line of the code.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace includes_test {

namespace {

namespace fs = std::filesystem;

// What each module may include besides itself: gateway/README.md, "Modules".
std::map<std::string, std::set<std::string>> const allowed{
    {"config", {"gateway/simd", "gateway/text", "gateway/secrets"}},
    {"gateway/simd", {}},
    {"gateway/text", {"gateway/simd"}},
    {"gateway/secrets", {"gateway/text"}},
    {"gateway/net", {"gateway/text"}},
    {"gateway/contract", {"config", "gateway/simd", "gateway/text"}},
    {"gateway/observe", {"gateway/simd", "gateway/text"}},
    {"gateway/http", {"gateway/net", "gateway/simd", "gateway/text"}},
    {"gateway/http2", {"gateway/http", "gateway/net", "gateway/simd", "gateway/text"}},
    {"gateway/jose", {}},
    {"gateway/websocket", {"gateway/http", "gateway/jose", "gateway/text", "config"}},
    {"gateway/fetch", {"gateway/http", "gateway/net", "gateway/text", "config"}},
    {"gateway/pipeline",
     {"gateway/http", "gateway/websocket", "gateway/fetch", "gateway/contract", "gateway/net",
      "gateway/text", "config", "gateway/secrets"}},
    {"plugins",
     {"gateway/pipeline", "gateway/http", "gateway/fetch", "gateway/contract", "gateway/net",
      "gateway/text", "config", "gateway/secrets", "gateway/jose"}},
    {"gateway/upstream",
     {"gateway/pipeline", "gateway/http", "gateway/websocket", "gateway/fetch", "gateway/net",
      "gateway/observe", "gateway/text", "config", "gateway/jose"}},
    {"gateway/respond",
     {"gateway/pipeline", "gateway/observe", "gateway/contract", "gateway/http"}},
    {"gateway/lifecycle",
     {"config", "gateway/net", "gateway/http", "gateway/fetch", "gateway/contract",
      "gateway/pipeline", "gateway/upstream", "gateway/observe", "gateway/respond", "gateway/jose",
      "gateway/secrets", "gateway/text"}},
    {"gateway/serve",
     {"config", "gateway/net", "gateway/http", "gateway/http2", "gateway/contract",
      "gateway/pipeline", "gateway/upstream", "gateway/observe", "gateway/respond",
      "gateway/lifecycle"}},
    {"gateway/admin",
     {"config", "gateway/net", "gateway/http", "gateway/fetch", "gateway/pipeline",
      "gateway/upstream", "gateway/observe", "gateway/lifecycle"}},
    {"gateway/accept",
     {"config", "gateway/admin", "gateway/net", "gateway/http", "gateway/fetch", "gateway/contract",
      "gateway/pipeline", "gateway/upstream", "gateway/observe", "gateway/respond",
      "gateway/lifecycle", "gateway/serve", "gateway/text", "gateway/jose"}},
    {"gateway/commands",
     {"config", "gateway/net", "gateway/http", "gateway/contract", "gateway/pipeline",
      "gateway/observe", "gateway/lifecycle", "gateway/text", "gateway/secrets"}},
    {"gateway",
     {"config", "gateway/accept", "gateway/commands", "gateway/lifecycle", "plugins", "gateway/net",
      "gateway/fetch", "gateway/observe"}},
};

std::set<std::string> const documents_only{"config/yaml.h", "config/yaml_edit.h", "config/text.h"};

// `config`, `plugins`, or a folder below `gateway`; with the folders in it.
std::string module_of(fs::path const& relative) {
    fs::path folder = relative.parent_path();
    auto const depth = folder.begin() != folder.end() && *folder.begin() == "gateway" ? 2 : 1;
    while (std::distance(folder.begin(), folder.end()) > depth)
        folder = folder.parent_path();
    return folder.generic_string();
}

std::vector<std::string> own_includes(fs::path const& file) {
    std::vector<std::string> includes;
    std::ifstream stream{file};
    constexpr std::string_view start = "#include \"";
    for (std::string line; std::getline(stream, line);) {
        if (line.rfind(start, 0) != 0) continue;
        includes.push_back(line.substr(start.size(), line.find('"', start.size()) - start.size()));
    }
    return includes;
}

bool is_source(fs::path const& path) {
    return path.extension() == ".h" || path.extension() == ".cpp";
}

} // namespace

TEST_CASE("no module includes a module that it must not depend on") {
    fs::path const root{SALLYPORT_SOURCE_DIR};
    std::size_t seen = 0;
    for (auto const* const top : {"config", "gateway", "plugins"}) {
        for (auto const& entry : fs::recursive_directory_iterator{root / top}) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            auto const relative = fs::relative(entry.path(), root);
            auto const module = module_of(relative);
            INFO(relative);
            REQUIRE(allowed.count(module) == 1);
            for (auto const& include : own_includes(entry.path())) {
                INFO("includes " << include);
                ++seen;
                auto const target = module_of(include);
                CHECK((target == module || allowed.at(module).count(target) == 1));
                if (module == "gateway/contract" && target == "config") {
                    CHECK(documents_only.count(include) == 1);
                }
            }
        }
    }
    // A test that looked at nothing would pass as well.
    CHECK(seen > 100);
}

TEST_CASE("only http/ depends on a version of HTTP") {
    fs::path const root{SALLYPORT_SOURCE_DIR};
    std::size_t seen = 0;
    for (auto const* const top : {"gateway", "plugins"}) {
        for (auto const& entry : fs::recursive_directory_iterator{root / top}) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            auto const relative = fs::relative(entry.path(), root);
            INFO(relative);
            for (auto const& include : own_includes(entry.path())) {
                if (include.rfind("gateway/http/http1", 0) != 0) continue;
                ++seen;
                CHECK(module_of(relative) == "gateway/http");
            }
        }
    }
    CHECK(seen >= 2);
}

TEST_CASE("the developers' page lists the same dependencies") {
    std::ifstream stream{fs::path{SALLYPORT_SOURCE_DIR} / "gateway/README.md"};
    std::map<std::string, std::set<std::string>> documented;
    auto const folder_of = [](std::string const& name) {
        if (name == "config" || name == "plugins") return name;
        return name == "main" ? std::string{"gateway"} : "gateway/" + name;
    };
    for (std::string line; std::getline(stream, line);) {
        auto const arrow = line.find(" -> ");
        if (line.rfind("    ", 0) != 0 || arrow == std::string::npos) continue;
        std::istringstream names{line.substr(4, arrow - 4)};
        std::string module;
        names >> module;
        auto& targets = documented[folder_of(module)];
        // The text in brackets is the reason.
        std::istringstream list{line.substr(arrow + 4, line.find(" (") - arrow - 4)};
        for (std::string target; std::getline(list >> std::ws, target, ',');) {
            if (target != "nothing") targets.insert(folder_of(target));
        }
    }
    CHECK(documented == allowed);
}

TEST_CASE("only the pipeline makes a permit") {
    fs::path const root{SALLYPORT_SOURCE_DIR};
    for (auto const* const top : {"gateway", "plugins"}) {
        for (auto const& entry : fs::recursive_directory_iterator{root / top}) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            auto const relative = fs::relative(entry.path(), root).generic_string();
            std::ifstream stream{entry.path()};
            std::string const text{std::istreambuf_iterator<char>{stream}, {}};
            if (relative == "gateway/pipeline/pipeline.cpp"
                || relative == "gateway/pipeline/permit.h") {
                continue;
            }
            INFO(relative);
            CHECK(text.find("Permit{") == std::string::npos);
            bool const befriends = text.find("friend class Pipeline") != std::string::npos;
            CHECK_FALSE((befriends && relative != "gateway/pipeline/pipeline.h"));
        }
    }
}

} // namespace includes_test
