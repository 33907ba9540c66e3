// Shared references: in a document that is too large with every `$ref` expanded at its place, the
// target of a `$ref` is compiled once for all bodies that lead to it, as far as its rules are the
// same there. The rules are named by the `$ref`: `#/components/schemas/Pet/properties/name/type`.
#include "gateway/contract/schema/compile.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace {

void add_once(std::vector<std::uint32_t>& list, std::uint32_t number) {
    if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
}

} // namespace

std::optional<SchemaCompiler::Compiled> SchemaCompiler::share(Draft const& draft,
                                                              Reference const& reference) {
    Place place = reference.place;
    // Only `required` of 3.0 depends on the schemas around it that apply to the same value, and
    // there nothing has an effect beside a `$ref`.
    bool const is_of_3_0 = (draft.place.resource->vocabularies & vocabulary::openapi_3_0) != 0;
    if (!is_of_3_0 || draft.place.whole == draft.schema) place.whole = nullptr;
    unsigned const kinds = (place.trial != 0 ? 1U : 0U) | (place.is_for_callers ? 2U : 0U)
                           | (place.is_for_names ? 4U : 0U);
    auto const number = static_cast<std::uint32_t>(shared_.size());
    auto const [known, is_new] = shared_numbers_.emplace(
        SharedKey{reference.target.node, place.whole, place.scope, side_, kinds, place.source},
        number);
    add_once(current_shared_ == not_shared ? referred_
                                           : program_.shared[current_shared_].refers_to,
             known->second);
    if (!is_new) return link_to(known->second, reference);

    Node const* const deprecated = reference.target.node->find("deprecated");
    Shared& shared = shared_.emplace_back();
    program_.shared.emplace_back();
    shared.descents = descents_;
    shared.is_deprecated = deprecated != nullptr && deprecated->as_boolean();
    shared.holder = add_holder({});
    held_.emplace_back(place.holder, shared.holder);
    place.holder = shared.holder;
    place.pointer = reference.value.text();
    place.is_shared = true;
    if (depth_ < max_shared_depth) {
        compile_shared(number, reference.target, place);
        return Compiled{shared_[number].node, shared_[number].is_deprecated};
    }
    // Its node is filled in later.
    shared.node = static_cast<NodeIndex>(program_.nodes.size());
    program_.nodes.emplace_back();
    put_off_.push_back({number, reference.target, std::move(place)});
    links_.push_back({shared.node, &reference.value, reference.path, reference.place.is_exact});
    ++declaring_; // possibly
    return Compiled{shared.node, shared.is_deprecated};
}

// To a schema that an earlier reference led to.
std::optional<SchemaCompiler::Compiled> SchemaCompiler::link_to(std::uint32_t number,
                                                                Reference const& reference) {
    Shared const& shared = shared_[number];
    if (shared.is_open && shared.descents == descents_) {
        refers_in_place(reference.value, reference.path);
        return std::nullopt;
    }
    if (shared.is_undermined) {
        leave_out_evaluations(reference.value.mark(), reference.path,
                              "the schema depends on a rule in it that is not supported");
        return Compiled{};
    }
    if (leads_to_fault(number)) problems_.add_fault_of_responses();
    note_shared(number, reference);
    links_.push_back({shared.node, &reference.value, reference.path, reference.place.is_exact});
    ++declaring_; // possibly
    return Compiled{shared.node, shared.is_deprecated};
}

// What a schema that was compiled before means for the place that refers to it.
void SchemaCompiler::note_shared(std::uint32_t number, Reference const& reference) {
    Shared const& shared = shared_[number];
    if (!shared.is_finished) {
        held_.emplace_back(reference.place.holder, shared.holder);
    } else if (shared.holds_secret) {
        secret_marks_.push_back({reference.place.holder, reference.target.node,
                                 reference.target.path, descents_ == 0});
    }
    if (problems_.places().empty()) return;
    auto reached = problems_.exchange_reached({});
    for (std::uint32_t const one : reachable_from(number)) {
        left_out_.rules += shared_[one].left_out.rules;
        left_out_.evaluations += shared_[one].left_out.evaluations;
        for (std::uint32_t const place : shared_[one].reached)
            add_once(reached, place);
    }
    static_cast<void>(problems_.exchange_reached(std::move(reached)));
}

bool SchemaCompiler::leads_to_fault(std::uint32_t number) const {
    bool const is_of_request = side_ == CompiledSchema::Side::request;
    if (is_of_request || problems_.faults_of_responses() == 0) return false;
    auto const all = reachable_from(number);
    return std::any_of(all.begin(), all.end(),
                       [this](std::uint32_t one) { return shared_[one].has_fault; });
}

// All shared schemas that one leads to, itself included.
std::vector<std::uint32_t> SchemaCompiler::reachable_from(std::uint32_t number) const {
    std::vector<bool> is_known(shared_.size());
    std::vector<std::uint32_t> found{number};
    is_known[number] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::uint32_t const next : program_.shared[found[i]].refers_to) {
            if (!is_known[next]) found.push_back(next);
            is_known[next] = true;
        }
    }
    return found;
}

void SchemaCompiler::compile_shared(std::uint32_t number, Target const& target,
                                    Place const& place) {
    std::uint32_t const outer = std::exchange(current_shared_, number);
    auto reached = problems_.exchange_reached({});
    LeftOut const before = left_out_;
    std::size_t const faults_before = problems_.faults_of_responses();
    // For references from inside it: its node is the next one.
    shared_[number].node = static_cast<NodeIndex>(program_.nodes.size());
    shared_[number].is_open = true;
    Compiled const compiled = compile_node(*target.node, place);
    Shared& shared = shared_[number];
    shared.node = compiled.node;
    shared.is_deprecated = compiled.is_deprecated;
    shared.is_open = false;
    shared.has_fault = problems_.faults_of_responses() != faults_before;
    shared.left_out = {left_out_.rules - before.rules,
                       left_out_.evaluations - before.evaluations};
    shared.reached = problems_.exchange_reached({});
    std::sort(shared.reached.begin(), shared.reached.end());
    shared.reached.erase(std::unique(shared.reached.begin(), shared.reached.end()),
                         shared.reached.end());
    reached.insert(reached.end(), shared.reached.begin(), shared.reached.end());
    static_cast<void>(problems_.exchange_reached(std::move(reached)));
    current_shared_ = outer;
}

// Those that were referred to at a large depth.
void SchemaCompiler::compile_put_off() {
    std::size_t const descents = descents_;
    while (!put_off_.empty()) {
        PutOff const next = std::move(put_off_.back());
        put_off_.pop_back();
        NodeIndex const node = shared_[next.number].node;
        descents_ = shared_[next.number].descents;
        depth_ = 1; // inside the body
        compile_shared(next.number, next.target, next.place);
        depth_ = 0;
        Draft draft;
        if (NodeIndex const whole = shared_[next.number].node; whole != anything) {
            program_.children.push_back({{whole}, true});
            draft.any.push_back({Op::all_of, no_rule, program_.children.size() - 1});
        }
        finish(node, draft);
    }
    descents_ = descents;
}

void SchemaCompiler::finish_shared(bool is_undermined) {
    for (std::size_t i = first_shared_; i < shared_.size(); ++i) {
        shared_[i].is_finished = true;
        shared_[i].is_undermined = is_undermined;
    }
}

} // namespace sallyport::contract
