// Problems of a contract.
#include "gateway/contract/schema/problem_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::uint32_t no_place = UINT32_MAX;

} // namespace

bool ProblemList::keep(Kept& kept, yaml::Problem problem, std::uint32_t place) {
    std::string key{problem.where.file_name()};
    key += ':' + std::to_string(problem.where.line) + ':' + std::to_string(problem.where.column)
           + ':' + problem.what;
    auto const [known, is_new] = known_.emplace(std::move(key), place);
    if (known->second != no_place) reached_.push_back(known->second);
    if (!is_new) return false;
    if (kept.problems.size() >= yaml::max_problems) {
        ++kept.left_out;
    } else {
        kept.problems.push_back(std::move(problem));
    }
    return true;
}

void ProblemList::add_at(yaml::Mark const& mark, std::string path, std::string what,
                         std::string hint, yaml::Severity severity) {
    bool const is_error = severity == yaml::Severity::error;
    bool const is_new =
        keep(is_error ? errors_ : warnings_,
             {mark, std::move(path), std::move(what), std::move(hint), severity}, no_place);
    if (is_new && is_error) ++invalid_;
}

void ProblemList::add_unsupported_at(yaml::Mark const& mark, std::string path, std::string what,
                                     std::string hint) {
    add_place({mark, std::move(path), std::move(what), std::move(hint)},
              unsupported_ == Unsupported::refuse);
}

void ProblemList::add_unchecked_at(yaml::Mark const& mark, std::string path, std::string what) {
    add_place({mark, std::move(path), std::move(what), {}}, false);
}

void ProblemList::add_place(yaml::Problem problem, bool is_refused) {
    UncheckedPlace place{problem.where, problem.path, problem.what};
    if (!is_refused) {
        problem.what.insert(0, "unchecked: ");
        problem.severity = yaml::Severity::warning;
    }
    auto const number = static_cast<std::uint32_t>(places_.size());
    if (keep(is_refused ? errors_ : warnings_, std::move(problem), number)) {
        places_.push_back(std::move(place));
        if (is_refused) ++refused_;
    }
}

void ProblemList::add_unsupported(yaml::Node const& node, std::string path, std::string what,
                                  std::string hint) {
    add_unsupported_at(node.mark(), std::move(path), std::move(what), std::move(hint));
}

std::vector<std::uint32_t> ProblemList::exchange_reached(std::vector<std::uint32_t> reached) {
    return std::exchange(reached_, std::move(reached));
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

// The last line of a document of which nothing but unsupported places keeps it from loading.
yaml::Problem ProblemList::way_out(yaml::Mark const& at) const {
    yaml::Problem last;
    last.where.file = at.file;
    last.what = "the gateway cannot enforce all of it";
    last.hint =
        "write unsupported: unchecked to load it with "
        + (refused_ == 1 ? std::string{"this place"}
                         : "these " + std::to_string(refused_) + " places")
        + " unchecked";
    last.is_rest = true;
    return last;
}

yaml::Problems ProblemList::take(yaml::Mark const& document) {
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
    bool const is_refused = refused_ > 0;
    if (is_refused && invalid_ == 0) all.push_back(way_out(document));
    return all;
}

} // namespace sallyport::contract
