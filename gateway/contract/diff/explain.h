// Names the rules by which two schemas differ.
#pragma once

#include "gateway/contract/diff/change.h"
#include "gateway/contract/diff/implication.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace sallyport::contract {

/// Compares schemas of one operation and adds a change for each rule. If it adds none that is
/// stricter, every value that was valid is still valid.
class Explainer {
public:
    /// `forward` compares from the old document to the new one, `backward` the other way.
    /// `subject` has the fields that all changes have.
    Explainer(Implication& forward, Implication& backward, Change subject, Changes& changes)
        : forward_{forward}, backward_{backward}, subject_{std::move(subject)}, changes_{changes} {}

    void compare(SchemaView const& old, SchemaView const& now);
    /// Adds a change that is not one of a schema. With is_of_response it is neutral.
    void add(Change change);
    [[nodiscard]] Change const& subject() const noexcept { return subject_; }

private:
    using Kind = SchemaRule::Kind;
    // From one document to the other; `from` is the old one if `kind` is stricter.
    struct Direction {
        Implication& implication;
        ChangeClass kind;
    };
    struct Place {
        SchemaParts const& parts; // of `from`
        SchemaRule const& rule;
        SchemaPart const& to;
        Verdict verdict;
    };
    void explain(Direction const& direction, SchemaView const& from, SchemaView const& to);
    void explain_rule(Direction const& direction, Place const& place);
    void add_rule(Direction const& direction, Place const& place, SchemaPart const* from);

    Implication& forward_;
    Implication& backward_;
    Change subject_;
    Changes& changes_;
    // Of each pair of schemas whether it was explained; it is not while it still is.
    std::map<std::tuple<config::yaml::Node const*, config::yaml::Node const*, ChangeClass>, bool>
        seen_;
    // How often a difference was explained: by a change, one that is there already, or a pair of
    // schemas that was explained before.
    std::size_t explained_ = 0;
    std::set<std::tuple<std::string, std::string, std::string, std::string>> added_;
};

} // namespace sallyport::contract
