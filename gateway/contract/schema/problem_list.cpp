// Problems of a contract.
#include "gateway/contract/schema/problem_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

void ProblemList::add_at(yaml::Mark const& mark, std::string path, std::string what,
                         std::string hint, yaml::Severity severity) {
    std::string key{mark.file_name()};
    key += ':' + std::to_string(mark.line) + ':' + std::to_string(mark.column) + ':' + what;
    if (!known_.insert(std::move(key)).second) return;
    Kept& kept = severity == yaml::Severity::error ? errors_ : warnings_;
    if (kept.problems.size() >= yaml::max_problems) {
        ++kept.left_out;
        return;
    }
    kept.problems.push_back({mark, std::move(path), std::move(what), std::move(hint), severity});
}

void ProblemList::add_all(yaml::Problems const& problems) {
    for (auto const& problem : problems) {
        if (problem.is_rest) continue;
        add_at(problem.where, problem.path, problem.what, problem.hint, problem.severity);
    }
}

void ProblemList::add(yaml::Node const& node, std::string path, std::string what, std::string hint,
                      yaml::Severity severity) {
    add_at(node.mark(), std::move(path), std::move(what), std::move(hint), severity);
}

yaml::Problems ProblemList::take() {
    Kept errors = std::exchange(errors_, {});
    Kept warnings = std::exchange(warnings_, {});
    yaml::Problems all = std::move(errors.problems);
    // Hundreds of warnings must not hide the error for which a document does not load.
    std::size_t const shown = std::min(yaml::max_problems - all.size(), warnings.problems.size());
    auto const first = warnings.problems.begin();
    std::move(first, first + static_cast<std::ptrdiff_t>(shown), std::back_inserter(all));
    yaml::sort_by_place(all);
    auto const left_out = errors.left_out + warnings.left_out + warnings.problems.size() - shown;
    yaml::add_rest(all, left_out,
                   errors.left_out > 0 ? yaml::Severity::error : yaml::Severity::warning);
    return all;
}

} // namespace sallyport::contract
