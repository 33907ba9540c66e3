// Problems of a contract, each only once, even if several `$ref`s lead to it, and the places that
// cannot be enforced.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/unchecked.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// What the part of a document that is being read is for.
enum class Concern : std::uint8_t {
    requests,
    responses, // which are never refused: no problem keeps the document from loading
    nothing,   // no request, and no response that was read: a problem is a warning
};

/// Collects problems while a document is loaded. The same problem at more than max_alike places is
/// one, at the first place, with their number. A problem is one of three kinds:
/// - *invalid*: the document breaks its specification, or exceeds a limit (add, an error);
/// - *unsupported*: it is valid, and the gateway cannot enforce it (add_unsupported): an error, or,
///   with Unsupported::unchecked, a warning and a place without its rule;
/// - a warning: it has no effect, or probably not the intended one (add, a warning).
class ProblemList {
public:
    explicit ProblemList(Unsupported unsupported = Unsupported::refuse)
        : unsupported_{unsupported} {}

    /// Adds a problem at a node, or at a position; one that is there already is ignored.
    void add(config::yaml::Node const& node, std::string path, std::string what,
             std::string hint = {},
             config::yaml::Severity severity = config::yaml::Severity::error);
    void add_at(config::yaml::Mark const& mark, std::string path, std::string what,
                std::string hint = {},
                config::yaml::Severity severity = config::yaml::Severity::error);
    /// Adds a place that is valid and cannot be enforced. The caller leaves its rule out, so that
    /// nothing valid is refused for want of it. One that is there already is only noted as reached.
    void add_unsupported(config::yaml::Node const& node, std::string path, std::string what,
                         std::string hint = {});
    void add_unsupported_at(config::yaml::Mark const& mark, std::string path, std::string what,
                            std::string hint = {});
    /// Adds such a place that keeps no document from loading, in responses and in bodies that are
    /// not parsed: a warning in any case.
    void add_unchecked_at(config::yaml::Mark const& mark, std::string path, std::string what);
    /// Changes what the problems that follow concern; returns what it was.
    Concern exchange_concern(Concern concern) noexcept { return std::exchange(concern_, concern); }
    /// How many errors of responses there were: what was compiled meanwhile is not usable.
    [[nodiscard]] std::size_t faults_of_responses() const noexcept { return faults_of_responses_; }
    /// Counts one more, for a response that leads to one of those.
    void add_fault_of_responses() noexcept { ++faults_of_responses_; }
    /// All errors, in the order in which they were found.
    [[nodiscard]] config::yaml::Problems const& errors() const noexcept { return all_errors_; }
    /// The unsupported places so far.
    [[nodiscard]] std::vector<UncheckedPlace> const& places() const noexcept { return places_; }
    /// Exchanges the list of places that were reached since the last call (into places(), with
    /// repetitions): what an operation, or a part of it, leads to.
    [[nodiscard]] std::vector<std::uint32_t> exchange_reached(std::vector<std::uint32_t> reached);

    /// Whether the document does not load.
    [[nodiscard]] bool has_errors() const noexcept { return !errors_.groups.empty(); }
    /// Adds the problems of a document.
    void add_all(config::yaml::Problems const& problems);
    /// The problems, sorted by position: at most yaml::max_problems, errors first of all, one that
    /// counts the others, and one that says how to load the document if all errors are unsupported
    /// places; it names the file of `document`. The list is empty afterwards.
    [[nodiscard]] config::yaml::Problems take(config::yaml::Mark const& document);

    static constexpr std::size_t max_alike = 3;

private:
    // Problems that say the same, the first max_alike of them.
    struct Alike {
        std::vector<config::yaml::Problem> first;
        std::size_t count = 0;
    };
    struct Kept {
        std::vector<Alike> groups;
        std::map<std::string, std::size_t> by_text; // -> into groups
        std::size_t left_out = 0;
    };
    [[nodiscard]] static config::yaml::Problems take_groups(Kept kept);
    void forget_unchecked(config::yaml::Problem const& error);
    void add_place(config::yaml::Problem problem, bool is_refused);
    // False: it is there already.
    bool keep(Kept& kept, config::yaml::Problem problem, std::uint32_t place);
    [[nodiscard]] config::yaml::Problem way_out(config::yaml::Mark const& at) const;

    Unsupported unsupported_;
    Concern concern_ = Concern::requests;
    std::size_t faults_of_responses_ = 0;
    config::yaml::Problems all_errors_;
    Kept errors_;
    Kept warnings_;
    std::size_t invalid_ = 0; // errors of the first kind
    std::size_t refused_ = 0; // of the second kind
    std::vector<UncheckedPlace> places_;
    std::vector<std::uint32_t> reached_;
    std::map<std::string, std::uint32_t> known_; // -> into places_; no_place: of another kind
};

/// What is read while it exists has another concern.
class WithConcern {
public:
    WithConcern(ProblemList& problems, Concern concern)
        : problems_{problems}, outer_{problems.exchange_concern(concern)} {}
    ~WithConcern() { (void)problems_.exchange_concern(outer_); }
    WithConcern(WithConcern const&) = delete;
    WithConcern& operator=(WithConcern const&) = delete;

private:
    ProblemList& problems_;
    Concern outer_;
};

} // namespace sallyport::contract
