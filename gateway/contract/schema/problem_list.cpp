// Problems of a contract.
#include "gateway/contract/schema/problem_list.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::uint32_t no_place = UINT32_MAX;
constexpr std::string_view unchecked = "unchecked: ";

[[nodiscard]] std::string key_of(yaml::Mark const& mark, std::string_view what) {
    std::string key{mark.file_name()};
    key += ':' + std::to_string(mark.line) + ':' + std::to_string(mark.column) + ':';
    return key += what;
}

} // namespace

bool ProblemList::keep(Kept& kept, yaml::Problem problem, std::uint32_t place) {
    auto const [known, is_new] =
        known_.emplace(key_of(problem.where, problem.what), place);
    if (known->second != no_place) reached_.push_back(known->second);
    if (!is_new) return false;
    if (problem.severity == yaml::Severity::error) {
        all_errors_.push_back(problem);
        forget_unchecked(problem);
    }
    auto const [at, is_first] =
        kept.by_text.emplace(problem.what + '\n' + problem.hint, kept.groups.size());
    if (is_first && kept.groups.size() >= yaml::max_problems) {
        kept.by_text.erase(at);
        ++kept.left_out;
        return true;
    }
    if (is_first) kept.groups.emplace_back();
    Alike& alike = kept.groups[at->second];
    if (++alike.count <= max_alike) alike.first.push_back(std::move(problem));
    return true;
}

// What a response left unchecked, and is an error of a request.
void ProblemList::forget_unchecked(yaml::Problem const& error) {
    if (!known_.contains(key_of(error.where, std::string{unchecked} + error.what))) return;
    auto const found =
        warnings_.by_text.find(std::string{unchecked} + error.what + '\n' + error.hint);
    if (found == warnings_.by_text.end()) return;
    Alike& alike = warnings_.groups[found->second];
    --alike.count;
    std::erase_if(alike.first, [&error](yaml::Problem const& one) {
        return one.where.line == error.where.line && one.where.column == error.where.column;
    });
}

void ProblemList::add_at(yaml::Mark const& mark, std::string path, std::string what,
                         std::string hint, yaml::Severity severity) {
    bool is_error = severity == yaml::Severity::error;
    if (is_error && concern_ == Concern::responses) {
        ++faults_of_responses_;
        return add_place({mark, std::move(path), std::move(what), std::move(hint)}, false);
    }
    if (concern_ == Concern::nothing) {
        // A response may have led to it.
        if (known_.contains(key_of(mark, std::string{unchecked} + what))) return;
        severity = yaml::Severity::warning;
        is_error = false;
    }
    bool const is_new =
        keep(is_error ? errors_ : warnings_,
             {mark, std::move(path), std::move(what), std::move(hint), severity}, no_place);
    if (is_new && is_error) ++invalid_;
}

void ProblemList::add_unsupported_at(yaml::Mark const& mark, std::string path, std::string what,
                                     std::string hint) {
    bool const is_refused =
        unsupported_ == Unsupported::refuse && concern_ == Concern::requests;
    add_place({mark, std::move(path), std::move(what), std::move(hint)}, is_refused);
}

void ProblemList::add_unchecked_at(yaml::Mark const& mark, std::string path, std::string what) {
    add_place({mark, std::move(path), std::move(what), {}}, false);
}

void ProblemList::add_place(yaml::Problem problem, bool is_refused) {
    UncheckedPlace place{problem.where, problem.path, problem.what};
    if (!is_refused) {
        // A request is refused for it already.
        if (known_.contains(key_of(problem.where, problem.what))) return;
        problem.what.insert(0, unchecked);
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

// The places of a group: up to max_alike each for itself, more as the first one with their number.
yaml::Problems ProblemList::take_groups(Kept kept) {
    yaml::Problems all;
    for (Alike& alike : kept.groups) {
        if (alike.count > max_alike && alike.first.size() > 1) {
            auto const others = alike.count - 1;
            auto& first = alike.first.front();
            first.what += " (and at " + std::to_string(others) + " other places, the next on line "
                          + std::to_string(alike.first[1].where.line) + ')';
            alike.first.resize(1);
        }
        std::move(alike.first.begin(), alike.first.end(), std::back_inserter(all));
    }
    return all;
}

yaml::Problems ProblemList::take(yaml::Mark const& document) {
    std::size_t const errors_left_out = errors_.left_out;
    std::size_t left_out = errors_left_out + warnings_.left_out;
    yaml::Problems warnings = take_groups(std::exchange(warnings_, {}));
    yaml::Problems all = take_groups(std::exchange(errors_, {}));
    std::size_t const most = yaml::max_problems;
    if (all.size() > most) {
        left_out += all.size() - most;
        all.resize(most);
    }
    // Hundreds of warnings must not hide the error for which a document does not load.
    std::size_t const shown = std::min(most - all.size(), warnings.size());
    auto const first = warnings.begin();
    std::move(first, first + static_cast<std::ptrdiff_t>(shown), std::back_inserter(all));
    yaml::sort_by_place(all);
    left_out += warnings.size() - shown;
    yaml::add_rest(all, left_out,
                   errors_left_out > 0 ? yaml::Severity::error : yaml::Severity::warning);
    bool const is_refused = refused_ > 0;
    if (is_refused && invalid_ == 0) all.push_back(way_out(document));
    return all;
}

} // namespace sallyport::contract
