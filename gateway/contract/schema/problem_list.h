// Problems of a contract, each only once, even if several `$ref`s lead to it, and the places that
// cannot be enforced.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/unchecked.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sallyport::contract {

/// Collects problems while a document is loaded. A problem is one of three kinds:
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
    /// The unsupported places so far.
    [[nodiscard]] std::vector<UncheckedPlace> const& places() const noexcept { return places_; }
    /// Exchanges the list of places that were reached since the last call (into places(), with
    /// repetitions): what an operation, or a part of it, leads to.
    [[nodiscard]] std::vector<std::uint32_t> exchange_reached(std::vector<std::uint32_t> reached);

    /// Whether the document does not load.
    [[nodiscard]] bool has_errors() const noexcept { return !errors_.problems.empty(); }
    /// Adds the problems of a document.
    void add_all(config::yaml::Problems const& problems);
    /// The problems, sorted by position: at most yaml::max_problems, errors first of all, one that
    /// counts the others, and one that says how to load the document if all errors are unsupported
    /// places; it names the file of `document`. The list is empty afterwards.
    [[nodiscard]] config::yaml::Problems take(config::yaml::Mark const& document);

private:
    struct Kept {
        config::yaml::Problems problems;
        std::size_t left_out = 0;
    };
    void add_place(config::yaml::Problem problem, bool is_refused);
    // False: it is there already.
    bool keep(Kept& kept, config::yaml::Problem problem, std::uint32_t place);
    [[nodiscard]] config::yaml::Problem way_out(config::yaml::Mark const& at) const;

    Unsupported unsupported_;
    Kept errors_;
    Kept warnings_;
    std::size_t invalid_ = 0; // errors of the first kind
    std::size_t refused_ = 0; // of the second kind
    std::vector<UncheckedPlace> places_;
    std::vector<std::uint32_t> reached_;
    std::map<std::string, std::uint32_t> known_; // -> into places_; no_place: of another kind
};

} // namespace sallyport::contract
