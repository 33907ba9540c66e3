// Roles of callers that are known only when they come: see roles.h.
#include "gateway/pipeline/roles.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sallyport::pipeline {

CombinedRoles combine(std::span<Role const* const> roles, std::size_t api) {
    CombinedRoles out;
    auto permissions = std::make_shared<std::vector<Permissions>>(api + 1);
    auto& rules = permissions->back().rules;
    auto places = std::make_shared<std::vector<config::yaml::Mark>>();
    for (auto const* const role : roles) {
        auto const first_value = static_cast<std::uint32_t>(out.values.size());
        auto const first_number = static_cast<std::uint32_t>(places->size());
        for (auto rule : (*role->permissions)[api].rules) {
            rule.number += first_number;
            for (auto& test : rule.tests)
                test.values += first_value;
            rules.push_back(std::move(rule));
        }
        places->insert(places->end(), role->rule_places.begin(), role->rule_places.end());
        out.values.insert(out.values.end(), role->values.begin(), role->values.end());
    }
    permissions->back().combine();
    out.permissions = std::move(permissions);
    out.rule_places = std::move(places);
    return out;
}

std::optional<std::vector<std::shared_ptr<AllowedValues const>>>
values_for(std::vector<RoleValues> const& values, contract::Labels const& labels) {
    std::vector<std::shared_ptr<AllowedValues const>> out;
    for (auto const& one : values) {
        if (one.labels.empty()) {
            out.push_back(one.fixed);
            continue;
        }
        auto all = std::make_shared<AllowedValues>(*one.fixed);
        for (auto const& name : one.labels) {
            auto const found = std::find_if(labels.begin(), labels.end(),
                                            [&](auto const& label) { return label.name == name; });
            auto text = found == labels.end() ? std::string{} : text_of(found->value);
            if (text.empty()) return std::nullopt;
            all->emplace_back(std::move(text));
        }
        out.push_back(std::move(all));
    }
    return out;
}

} // namespace sallyport::pipeline
