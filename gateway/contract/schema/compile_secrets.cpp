// Finds the property names for the redaction list: those that lead to a schema marked as secret,
// through any references, lists and properties with arbitrary names.
#include "gateway/contract/schema/compile.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using Step = std::pair<std::uint32_t, std::uint32_t>; // from, to

// Adds everything that is reachable from `found` by `steps`.
void follow(std::vector<Step> steps, std::vector<bool>& found) {
    std::sort(steps.begin(), steps.end());
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        if (found[i]) open.push_back(i);
    }
    while (!open.empty()) {
        std::uint32_t const from = open.back();
        open.pop_back();
        auto step = std::lower_bound(steps.begin(), steps.end(), Step{from, 0});
        for (; step != steps.end() && step->first == from; ++step) {
            if (found[step->second]) continue;
            found[step->second] = true;
            open.push_back(step->second);
        }
    }
}

} // namespace

std::uint32_t SchemaCompiler::add_holder(std::string_view member) {
    holders_.push_back({member, !member.empty()});
    return static_cast<std::uint32_t>(holders_.size() - 1);
}

// Redaction compares names without `_` and `-`: a name without other characters cannot be listed,
// and the property around it is listed instead.
bool SchemaCompiler::can_hold_secret(std::string_view member) noexcept {
    return member.find_first_not_of("_-") != std::string_view::npos;
}

void SchemaCompiler::mark_secret(Draft const& draft, Node const& node, std::string const& path) {
    secret_marks_.push_back({draft.place.holder, &node, path, descents_ == 0});
}

// Called when all of a schema is compiled: a turn of a recursive schema may get further secrets
// after the reference to it.
void SchemaCompiler::name_secrets(Target const& schema, SchemaUse const& use) {
    if (secret_marks_.empty()) return;
    std::vector<bool> is_secret(holders_.size());
    for (SecretMark const& mark : secret_marks_)
        is_secret[mark.holder] = true;
    std::vector<Step> outwards;
    for (auto const& [outer, inner] : held_)
        outwards.emplace_back(inner, outer);
    follow(std::move(outwards), is_secret);
    for (std::size_t i = first_shared_; i < shared_.size(); ++i)
        shared_[i].holds_secret = is_secret[shared_[i].holder];
    for (std::size_t i = 0; i < holders_.size(); ++i) {
        if (is_secret[i] && holders_[i].is_member) secret_members_.emplace(holders_[i].member);
    }
    if (!use.is_body || !is_secret.front()) return;

    // Redaction is by property names, and no name leads to these marks: nothing of such a body is
    // logged.
    has_secret_body_ = true;
    std::vector<bool> is_nameless(holders_.size());
    is_nameless.front() = true;
    follow(held_, is_nameless);
    for (SecretMark const& mark : secret_marks_) {
        if (!is_nameless[mark.holder]) continue;
        // In the target of a reference the mark may be valid for another body.
        bool const is_elsewhere = mark.path.rfind(schema.path, 0) != 0;
        std::string what = mark.is_whole ? "marks the whole body as secret"
                                         : "marks a value as secret that has no property name";
        if (is_elsewhere) what += ", in " + schema.path;
        what += ": the log has the size of such bodies alone";
        problems_.add(*mark.node, mark.path, std::move(what),
                      "mark properties, whose values alone are removed then",
                      config::yaml::Severity::warning);
    }
}

} // namespace sallyport::contract
