// `pattern` and the names of `patternProperties`: each pattern is compiled once for a contract.
#include "gateway/contract/patterns/pattern_characters.h"
#include "gateway/contract/patterns/pattern_parser.h"
#include "gateway/contract/schema/compile.h"
#include "gateway/contract/schema/constants.h"

#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

// Null: it is a problem.
SchemaCompiler::KnownPattern const*
SchemaCompiler::known_pattern(Node const& at, std::string const& path, std::string const& pattern) {
    auto const known = known_patterns_.find(pattern);
    if (known != known_patterns_.end()) return &known->second;
    auto refused = unsupported_patterns_.find(pattern);
    if (refused == unsupported_patterns_.end()) {
        auto made = Pattern::make(pattern);
        if (made.pattern != nullptr) {
            KnownPattern one{static_cast<std::uint32_t>(program_.patterns.size()),
                             std::move(made.warning), std::move(made.warning_hint),
                             why_never(parse_pattern(pattern, PatternPurpose::match).alternatives)};
            program_.patterns.push_back(std::move(made.pattern));
            return &known_patterns_.emplace(pattern, std::move(one)).first->second;
        }
        made.error.insert(0, "the pattern cannot be used: ");
        if (!made.is_unsupported) {
            error(at, path, std::move(made.error), std::move(made.hint));
            return nullptr;
        }
        std::pair fault{std::move(made.error), std::move(made.hint)};
        refused = unsupported_patterns_.emplace(pattern, std::move(fault)).first;
    }
    leave_out(at.mark(), path, refused->second.first, refused->second.second);
    return nullptr;
}

std::optional<std::uint32_t> SchemaCompiler::pattern_number(Node const& at, std::string const& path,
                                                            std::string const& pattern) {
    KnownPattern const* const known = known_pattern(at, path, pattern);
    if (known == nullptr) return std::nullopt;
    if (!known->warning.empty()) {
        problems_.add(at, path, "the pattern is read leniently: " + known->warning, known->hint,
                      yaml::Severity::warning);
    }
    if (!known->why_never.empty()) {
        bool const has_slashes = pattern.front() == '/';
        problems_.add(at, path, "the pattern matches no text: " + known->why_never,
                      has_slashes ? "write it without the slashes around it, which are a part of it"
                                  : "remove one of the two",
                      yaml::Severity::warning);
    }
    return known->number;
}

void SchemaCompiler::keyword_pattern(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    auto const number = pattern_number(value, path, value.text());
    if (!number) return;
    std::string expected;
    append_json_string(expected, value.text());
    auto const rule =
        add_rule(draft, "pattern", std::move(expected), "must match the pattern " + value.text());
    draft.string.push_back({Op::pattern, rule, *number});
}

} // namespace sallyport::contract
