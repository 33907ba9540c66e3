// Rules that are left out because they cannot be enforced: nothing that the document allows may be
// refused for want of one.
//
// Most rules only restrict: without one, more is valid. Three kinds of keywords turn that around,
// and are left out with what they contain:
// - `not`, `if` and the number of matches of `contains`: a form that matches more may refuse more;
//   `oneOf` then requires at least one match instead of exactly one;
// - `unevaluatedProperties` and `unevaluatedItems`, if a rule below them is missing by which a
//   property or an item could be evaluated;
// - `additionalProperties` beside a pattern of names that is left out.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

// For a rule that only restricts.
void SchemaCompiler::leave_out(yaml::Mark const& mark, std::string const& path, std::string what,
                               std::string hint) {
    ++left_out_.rules;
    problems_.add_unsupported_at(mark, path, std::move(what), std::move(hint));
}

void SchemaCompiler::leave_out_evaluations(yaml::Mark const& mark, std::string const& path,
                                           std::string what, std::string hint) {
    ++left_out_.evaluations;
    leave_out(mark, path, std::move(what), std::move(hint));
}

bool SchemaCompiler::has_left_out(LeftOut const& before) const noexcept {
    return left_out_.rules != before.rules;
}

// For a keyword whose rule would mean something else without what was left out inside it.
void SchemaCompiler::leave_out_around(Draft const& draft, std::string_view keyword) {
    yaml::Mark const& mark = draft.schema->find(keyword)->mark();
    std::string const path = yaml::join_key(draft.place.path, std::string{keyword});
    std::string what = config::in_quotes(keyword);
    if (keyword == "oneOf") {
        what += " is at least one, not exactly one: a rule in it is not supported";
        return leave_out(mark, path, std::move(what));
    }
    what += " depends on a rule that is not supported";
    leave_out_evaluations(mark, path, std::move(what));
}

// A schema of a dialect that is not implemented is left out as a whole: even its `$ref` may mean
// something else.
bool SchemaCompiler::is_of_unknown_dialect(Draft const& draft) {
    Resource const& resource = *draft.place.resource;
    if ((resource.vocabularies & vocabulary::unknown) != 0) {
        bool const is_own = resource.dialect != nullptr;
        Node const* const named =
            is_own ? resource.dialect : documents_.main().root->find("jsonSchemaDialect");
        leave_out_evaluations(named != nullptr ? named->mark() : draft.schema->mark(),
                              is_own ? resource.dialect_path : "jsonSchemaDialect",
                              is_own ? resource.dialect_fault : std::string{unknown_dialect});
        return true;
    }
    // A dialect can only be changed for a whole resource.
    Node const* const own = draft.schema->find("$schema");
    bool const is_changed = own != nullptr && own->is_string() && resource.root != draft.schema
                            && !is_standard_dialect(own->text()) && is_root_of_openapi(draft);
    if (!is_changed) return false;
    leave_out_evaluations(own->mark(), yaml::join_key(draft.place.path, "$schema"),
                          "is a dialect that is not implemented in a schema without $id",
                          "write " + std::string{dialect::uri} + ", or give the schema an $id");
    return true;
}

// Called when all other keywords of a schema are compiled.
void SchemaCompiler::check_unevaluated(Draft& draft, LeftOut const& before) {
    if (left_out_.evaluations == before.evaluations) return;
    if (draft.unevaluated_items) leave_out_around(draft, "unevaluatedItems");
    if (draft.unevaluated_properties) leave_out_around(draft, "unevaluatedProperties");
    draft.unevaluated_items.reset();
    draft.unevaluated_properties.reset();
}

// Whether a rule that was left out in a recursive schema is missing where that schema is referred
// to again, from inside a keyword that turns the effect around: only now are all of its rules
// known.
bool SchemaCompiler::is_undermined(LeftOut const& before) const {
    if (links_.empty() || !has_left_out(before)) return false;
    if (left_out_.evaluations != before.evaluations && documents_.mentions_unevaluated()) {
        return true;
    }
    std::vector<Expansion> open = expansions_;
    auto const is_incomplete = [&open](Link const& link) {
        return std::any_of(open.begin(), open.end(), [&link](Expansion const& one) {
            return one.node == link.to && one.has_left_out;
        });
    };
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (Expansion& one : open) {
            if (one.has_left_out) continue;
            auto const first = links_.begin() + static_cast<std::ptrdiff_t>(one.first_link);
            auto const end = links_.begin() + static_cast<std::ptrdiff_t>(one.end_link);
            one.has_left_out = std::any_of(first, end, is_incomplete);
            is_changed = is_changed || one.has_left_out;
        }
    }
    return std::any_of(links_.begin(), links_.end(), [&is_incomplete](Link const& link) {
        return link.is_exact && is_incomplete(link);
    });
}

} // namespace sallyport::contract
