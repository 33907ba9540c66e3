// Problems of a contract, each only once, even if several `$ref`s lead to it.
#pragma once

#include "config/yaml.h"

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
    [[nodiscard]] bool has_errors() const noexcept { return has_errors_; }
    /// All problems, sorted by position. The list is empty afterwards.
    [[nodiscard]] config::yaml::Problems take();

private:
    config::yaml::Problems problems_;
    std::set<std::string> known_;
    bool has_errors_ = false;
};

} // namespace sallyport::contract
