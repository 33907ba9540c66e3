// anyOf and oneOf: which forms a value matches, and the violations if there is none.
//
// A form is checked in a trial first, which ends with the first rule that is broken. Often no trial
// is necessary: if the type, or a property that distinguishes the forms, rules out all forms but
// one, only that one is checked, as if it were the schema.
#include "gateway/contract/evaluate/evaluate.h"

#include <algorithm>

namespace sallyport::contract {

// The place of the name; 0: there is no such property.
TapeIndex Evaluator::find_member(TapeIndex object, std::string_view name, std::uint32_t hash) {
    if ((subject_.facts->bits(tape_, object) & bit_of_name(hash)) == 0) return 0;
    // The forms of one list mostly search for the same property.
    bool const is_known = found_.object == object && found_.hash == hash && found_.name == name;
    if (is_known) return found_.place;
    TapeIndex const end = tape_.close(object);
    spend_for_walk(object);
    found_ = {object, hash, name, 0};
    for (TapeIndex at = object + 1; at < end; at = tape_.next(at + 1)) {
        if (subject_.facts->hash(at) != hash || tape_.string(at) != name) continue;
        found_.place = at;
        break;
    }
    return found_.place;
}

// Whether one access shows that a schema cannot match: by its type, by a property whose value must
// be a constant, or by the discriminator, which may have several values.
bool Evaluator::is_ruled_out(NodeIndex index, TapeIndex at, RuledOutBy by,
                             std::string_view discriminator) {
    if (index == anything) return false;
    spend(1);
    SchemaNode const& node = program_->nodes[index];
    TapeKind const kind = tape_.kind(at);
    if (node.is_nullable && kind == TapeKind::null) return false;
    std::uint8_t const likely = likely_bits[static_cast<std::uint8_t>(kind)];
    bool const may_differ = (node.types & likely) == 0 || subject_.has_large_numbers;
    if (may_differ && (node.types & bits_of(at)) == 0 && is_enforced(node.type_rule)) return true;
    auto const is_out = [&](NodeIndex child) { return is_ruled_out(child, at, by, discriminator); };
    for (std::uint32_t i = node.any; i < node.number; ++i) {
        Instruction const& instruction = program_->instructions[i];
        auto const operand = static_cast<std::size_t>(instruction.operand);
        if (instruction.op == Op::all_of) {
            auto const& nodes = program_->children[operand].nodes;
            if (std::any_of(nodes.begin(), nodes.end(), is_out)) return true;
        } else if (instruction.op == Op::any_of || instruction.op == Op::one_of) {
            auto const& nodes = program_->children[operand].nodes;
            bool const is_binding = is_enforced(instruction.rule);
            if (is_binding && std::all_of(nodes.begin(), nodes.end(), is_out)) return true;
        } else if (instruction.op == Op::constant) {
            bool const is_other_kind = (program_->constants[operand].kinds & likely) == 0;
            if (is_other_kind && is_enforced(instruction.rule)) return true;
        }
    }
    if (by == RuledOutBy::type) return false;
    if (kind != TapeKind::object || node.members == no_table) return false;
    auto const& discriminants = program_->member_tables[node.members].discriminants;
    return std::any_of(
        discriminants.begin(), discriminants.end(), [&](MemberTable::Discriminant const& one) {
            if (!one.is_single && one.name != discriminator) return false;
            TapeIndex const name = find_member(at, one.name, one.hash);
            return name != 0 && !is_one_of(name + 1, program_->constants[one.constants])
                   && is_enforced(one.rule);
        });
}

bool Evaluator::check_forms(Instruction const& instruction, TapeIndex at) {
    if (levels_->of(instruction.rule, schema_) == Level::off) return true;
    Children const& children = program_->children[static_cast<std::size_t>(instruction.operand)];
    Forms forms{instruction, children, at, find_meant(children, at), {}};
    if (children.discriminator != no_discriminator) {
        forms.discriminator = program_->discriminators[children.discriminator].member;
    }
    std::size_t candidates = 0;
    NodeIndex only = anything;
    for (NodeIndex const node : children.nodes) {
        bool const has_others = children.nodes.size() != 1;
        if (has_others && is_ruled_out(node, at, RuledOutBy::members, forms.discriminator))
            continue;
        only = node;
        if (++candidates > 1) break;
    }
    if (candidates == 1) return check_only(forms, only);
    if (candidates == 0) return fail_forms(forms);
    return instruction.op == Op::any_of ? check_any(forms) : check_one(forms);
}

// All others are ruled out: the combination is valid if, and only if, this form is.
bool Evaluator::check_only(Forms const& forms, NodeIndex node) {
    RuleIndex const rule = forms.instruction.rule;
    if (!is_recording()) return check(node, forms.at) || fail(rule);
    if (level_of(rule) == Level::enforce) return check(node, forms.at);
    // Rules inside are at most reported, as the combination would be.
    Mode const outer = mode_;
    mode_ = Mode::reported;
    check(node, forms.at);
    mode_ = outer;
    return true;
}

// Calls `visit` for each form that is not ruled out, beginning with the one that the discriminator
// selects, until it returns false.
template <class Visit>
void Evaluator::for_each_candidate(Forms const& forms, Visit const& visit) {
    auto const& nodes = forms.children.nodes;
    auto const may_be = [&](NodeIndex node) {
        return !is_ruled_out(node, forms.at, RuledOutBy::members, forms.discriminator);
    };
    bool const has_meant = forms.meant < nodes.size();
    if (has_meant && may_be(nodes[forms.meant]) && !visit(nodes[forms.meant])) return;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i != forms.meant && may_be(nodes[i]) && !visit(nodes[i])) return;
    }
}

bool Evaluator::check_any(Forms const& forms) {
    bool const is_noted = notes() && forms.children.declares;
    std::uint64_t const before = soft_failures_;
    Fit best = Fit::no;
    NodeIndex best_node = anything;
    for_each_candidate(forms, [&](NodeIndex node) {
        Fit const fit = try_form(node, forms.at);
        if (fit == Fit::clean && is_noted) survey(node, forms.at);
        if (fit > best) {
            best = fit;
            best_node = node;
        }
        // A later form may declare or evaluate properties that are not in this one.
        return best != Fit::clean || is_tracking_ || is_noted;
    });
    // Only the reports of the matching form count.
    soft_failures_ = best == Fit::with_reports ? before + 1 : before;
    if (best == Fit::no) return fail_forms(forms);
    // Now with all its reports.
    if (best == Fit::with_reports && is_recording()) return check(best_node, forms.at);
    if (best == Fit::with_reports && is_noted) survey(best_node, forms.at);
    return true;
}

bool Evaluator::check_one(Forms const& forms) {
    bool const is_noted = notes() && forms.children.declares;
    std::uint64_t const before = soft_failures_;
    std::size_t const evaluated = evaluated_.size();
    std::size_t fitting = 0;
    Fit fit_of_one = Fit::no;
    NodeIndex one = anything;
    for_each_candidate(forms, [&](NodeIndex node) {
        Fit const fit = try_form(node, forms.at);
        if (fit == Fit::no) return true;
        fit_of_one = fit;
        one = node;
        return ++fitting < 2 || is_recording(); // the message contains their number
    });
    soft_failures_ = fit_of_one == Fit::with_reports ? before + 1 : before;
    if (fitting == 0) return fail_forms(forms);
    if (fitting != 1) {
        if (is_noted) survey_forms(forms);
        return fail_many(forms.instruction.rule, fitting, forms.children.nodes.size());
    }
    if (is_recording() && fit_of_one == Fit::with_reports) {
        evaluated_.resize(evaluated); // the same is evaluated again
        return check(one, forms.at);
    }
    if (is_noted) survey(one, forms.at);
    return true;
}

Fit Evaluator::try_form(NodeIndex node, TapeIndex at) {
    Mode const outer = mode_;
    mode_ = Mode::trial;
    std::uint64_t const before = soft_failures_;
    spend(1);
    bool const holds = check(node, at);
    mode_ = outer;
    if (!holds) return Fit::no;
    return soft_failures_ == before ? Fit::clean : Fit::with_reports;
}

// Marks the properties that a schema declares, independent of its result.
void Evaluator::survey(NodeIndex node, TapeIndex at) {
    Mode const outer = mode_;
    std::uint64_t const before = soft_failures_;
    std::size_t const evaluated = evaluated_.size();
    mode_ = Mode::survey;
    check(node, at);
    mode_ = outer;
    soft_failures_ = before;
    evaluated_.resize(evaluated);
}

void Evaluator::survey_forms(Forms const& forms) {
    for (NodeIndex const node : forms.children.nodes)
        survey(node, forms.at);
}

// The only form for the type of the value, independent of properties; otherwise `anything`.
NodeIndex Evaluator::only_form_of_type(Forms const& forms) {
    NodeIndex only = anything;
    for (NodeIndex const node : forms.children.nodes) {
        if (is_ruled_out(node, forms.at, RuledOutBy::type, {})) continue;
        if (node == anything || only != anything) return anything;
        only = node;
    }
    return only;
}

// No form matches. If the discriminator selects a form, or only one is for the type of the value,
// the violations of that form are more helpful.
bool Evaluator::fail_forms(Forms const& forms) {
    RuleIndex const rule = forms.instruction.rule;
    if (is_recording() && forms.meant < forms.children.nodes.size()) {
        return check_only(forms, forms.children.nodes[forms.meant]) && fail(rule);
    }
    if (is_recording() && forms.discriminator.empty()) {
        NodeIndex const only = only_form_of_type(forms);
        if (only != anything) return check_only(forms, only);
    }
    // A value that matches no form may have the properties of all.
    if (notes() && forms.children.declares) survey_forms(forms);
    bool const has_kinds = is_recording() && !forms.discriminator.empty()
                           && tape_.kind(forms.at) == TapeKind::object && is_enforced(rule);
    if (!has_kinds) return fail(rule);
    Discriminator const& discriminator = program_->discriminators[forms.children.discriminator];
    return fail_kind(rule, discriminator,
                     find_member(forms.at, discriminator.member, discriminator.hash));
}

// Which form the discriminator selects (OpenAPI 3.2, 4.25); none: SIZE_MAX.
std::size_t Evaluator::find_meant(Children const& children, TapeIndex at) {
    bool const has_discriminator = children.discriminator != no_discriminator;
    if (!has_discriminator || tape_.kind(at) != TapeKind::object) return SIZE_MAX;
    Discriminator const& discriminator = program_->discriminators[children.discriminator];
    TapeIndex const name = find_member(at, discriminator.member, discriminator.hash);
    if (name == 0 || tape_.kind(name + 1) != TapeKind::string) return discriminator.fallback;
    std::string_view const value = tape_.string(name + 1);
    auto const& forms = discriminator.forms;
    auto const found = std::lower_bound(
        forms.begin(), forms.end(), value,
        [](auto const& form, std::string_view wanted) { return form.first < wanted; });
    return found != forms.end() && found->first == value ? found->second : discriminator.fallback;
}

} // namespace sallyport::contract
