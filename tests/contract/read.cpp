// See read.h.
#include "tests/contract/read.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace sallyport::contract::test {

namespace yaml = config::yaml;

std::string project_file(std::string const& path) {
    // For the mutation run, which checks changed contracts.
    std::string const contracts = "config/contracts/";
    auto const* const folder = std::getenv("SALLYPORT_CONTRACTS");
    if (folder != nullptr && path.rfind(contracts, 0) == 0) {
        return std::string{folder} + '/' + path.substr(contracts.size());
    }
    return SALLYPORT_SOURCE_FOLDER "/" + path;
}

yaml::Document load(std::string const& path) {
    auto document = yaml::load_file(project_file(path));
    for (auto const& problem : document.problems())
        UNSCOPED_INFO(yaml::describe(problem));
    REQUIRE(document.problems().empty());
    return document;
}

yaml::Node const& child(yaml::Node const& node, std::string const& key) {
    auto const* found = node.find(key);
    INFO(node.mark().file_name() << ":" << node.mark().line << ": " << key);
    REQUIRE(found != nullptr);
    return *found;
}

std::string text_of(yaml::Node const& node) {
    INFO(node.mark().file_name() << ":" << node.mark().line);
    REQUIRE(node.is_scalar());
    REQUIRE_FALSE(node.is_null());
    return node.text();
}

std::vector<std::string> texts_of(yaml::Node const& node) {
    REQUIRE(node.is_sequence());
    std::vector<std::string> texts;
    for (auto const& item : node.items())
        texts.push_back(text_of(item));
    return texts;
}

std::size_t size_of(yaml::Node const& node) {
    REQUIRE(node.is_integer());
    REQUIRE(node.as_integer() >= 0);
    return static_cast<std::size_t>(node.as_integer());
}

bool is_true(yaml::Node const& node, std::string const& key) {
    auto const* found = node.find(key);
    if (found == nullptr) return false;
    INFO(found->mark().file_name() << ":" << found->mark().line << ": " << key);
    REQUIRE(found->as_boolean());
    return true;
}

std::string text_or_empty(yaml::Node const& node, std::string const& key) {
    auto const* found = node.find(key);
    return found == nullptr ? std::string{} : text_of(*found);
}

} // namespace sallyport::contract::test
