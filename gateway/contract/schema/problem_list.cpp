// Problems of a contract.
#include "gateway/contract/schema/problem_list.h"

namespace sallyport::contract {

namespace yaml = config::yaml;

void ProblemList::add_at(yaml::Mark const& mark, std::string path, std::string what,
                         std::string hint, yaml::Severity severity) {
    std::string key{mark.file_name()};
    key += ':' + std::to_string(mark.line) + ':' + std::to_string(mark.column) + ':' + what;
    if (!known_.insert(std::move(key)).second) return;
    if (severity == yaml::Severity::error) has_errors_ = true;
    if (problems_.size() >= yaml::max_problems) return;
    problems_.push_back({mark, std::move(path), std::move(what), std::move(hint), severity});
}

void ProblemList::add(yaml::Node const& node, std::string path, std::string what, std::string hint,
                      yaml::Severity severity) {
    add_at(node.mark(), std::move(path), std::move(what), std::move(hint), severity);
}

yaml::Problems ProblemList::take() {
    yaml::sort_by_place(problems_);
    return std::move(problems_);
}

} // namespace sallyport::contract
