// Problems of a contract, each only once, even if several `$ref`s lead to it.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <set>
#include <string>

namespace sallyport::contract {

/// Collects problems while a document is loaded.
class ProblemList {
public:
    /// Adds a problem at a node, or at a position; one that is there already is ignored.
    void add(config::yaml::Node const& node, std::string path, std::string what,
             std::string hint = {},
             config::yaml::Severity severity = config::yaml::Severity::error);
    void add_at(config::yaml::Mark const& mark, std::string path, std::string what,
                std::string hint = {},
                config::yaml::Severity severity = config::yaml::Severity::error);
    [[nodiscard]] bool has_errors() const noexcept { return !errors_.problems.empty(); }
    /// Adds the problems of a document.
    void add_all(config::yaml::Problems const& problems);
    /// The problems, sorted by position: at most yaml::max_problems, errors first of all, and one
    /// that counts the others. The list is empty afterwards.
    [[nodiscard]] config::yaml::Problems take();

private:
    struct Kept {
        config::yaml::Problems problems;
        std::size_t left_out = 0;
    };
    Kept errors_;
    Kept warnings_;
    std::set<std::string> known_;
};

} // namespace sallyport::contract
