// The level of every rule of one contract.
#include "gateway/contract/levels.h"

#include "config/text.h"
#include "gateway/contract/schema/rules_of.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using Side = CompiledSchema::Side;

// Whether it is a violation of its own, and no rule that operators configure by itself.
[[nodiscard]] bool has_level_of_schema(Rule const& rule) noexcept {
    return !rule.is_condition && !rule.is_read_only;
}

struct Compiler {
    Program const& program;
    std::vector<Level>& levels;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Level>& exceptions; // rule and schema
    // The level of each schema as a whole: a schema that is checked counts unknown properties, even
    // if it has no rules.
    std::vector<Level> schema_levels;
    std::vector<Level> operation_levels;
    Level read_only = Level::off;

    // Sets the level of an operation's rule at `pointer`; false: there is none, or it is only one
    // of responses, which cannot be enforced.
    bool set_rule(std::uint32_t operation, std::string_view pointer, Level level) {
        bool is_found = false;
        for (std::uint32_t i = 0; i < program.schemas.size(); ++i) {
            CompiledSchema const& schema = program.schemas[i];
            if (schema.operation != operation) continue;
            for_each_own_rule(program, schema, [&](RuleIndex rule) {
                if (program.rules[rule].pointer != pointer) return;
                levels[rule] = level;
                is_found = true;
            });
            if (schema.side == Side::response && level == Level::enforce) continue;
            for (RuleIndex const rule : shared_rules_of(program, schema)) {
                if (program.rules[rule].pointer != pointer) continue;
                exceptions[{rule, i}] = level;
                is_found = true;
            }
        }
        return is_found;
    }

    // Sets all rules of a schema that are violations of their own. Rules inside if, not, anyOf and
    // oneOf keep their levels: if every branch of a oneOf counted as true, no body would match
    // exactly one.
    void set_all(std::size_t number, Level level) {
        CompiledSchema const& schema = program.schemas[number];
        schema_levels[number] = level;
        for_each_own_rule(program, schema, [&](RuleIndex rule) {
            if (has_level_of_schema(program.rules[rule])) levels[rule] = level;
        });
    }

    void set_read_only(Level level) {
        read_only = level;
        for (RuleIndex rule = 0; rule < program.rules.size(); ++rule) {
            if (program.rules[rule].is_read_only) levels[rule] = level;
        }
    }

    // For a whole operation. `responses`: the level of the API for responses, which only `off`
    // changes.
    void set_operation(std::uint32_t operation, Level level, Level responses) {
        operation_levels[operation] = level;
        for (std::size_t i = 0; i < program.schemas.size(); ++i) {
            CompiledSchema const& schema = program.schemas[i];
            if (schema.operation != operation) continue;
            bool const is_of_request = schema.side == Side::request;
            set_all(i, is_of_request || level == Level::off ? level : responses);
        }
    }

    [[nodiscard]] bool enforces(std::uint32_t number) const {
        CompiledSchema const& schema = program.schemas[number];
        bool is_found = !schema.refers_to.empty() && schema_levels[number] == Level::enforce;
        for_each_own_rule(program, schema, [&](RuleIndex rule) {
            is_found = is_found
                       || (has_level_of_schema(program.rules[rule])
                           && levels[rule] == Level::enforce);
        });
        return is_found
               || std::any_of(exceptions.begin(), exceptions.end(), [&](auto const& one) {
                      return one.first.second == number && one.second == Level::enforce
                             && has_level_of_schema(program.rules[one.first.first]);
                  });
    }

    // An operation with an enforced rule is enforced as a whole.
    void raise_operations() {
        for (std::uint32_t i = 0; i < program.schemas.size(); ++i) {
            CompiledSchema const& schema = program.schemas[i];
            bool const is_of_request = schema.side == Side::request;
            if (is_of_request && schema.operation < operation_levels.size() && enforces(i))
                operation_levels[schema.operation] = Level::enforce;
        }
    }

    [[nodiscard]] bool has_active_rule(std::size_t number) const {
        if (schema_levels[number] != Level::off) return true;
        CompiledSchema const& schema = program.schemas[number];
        bool is_found = false;
        for_each_own_rule(program, schema, [&](RuleIndex rule) {
            is_found =
                is_found || (!program.rules[rule].is_condition && levels[rule] != Level::off);
        });
        if (is_found || schema.refers_to.empty()) return is_found;
        if (schema.side == Side::request && read_only != Level::off) return true; // possibly
        is_found = std::any_of(exceptions.begin(), exceptions.end(), [&](auto const& one) {
            auto const& [rule, of_schema] = one.first;
            return of_schema == number && !program.rules[rule].is_condition
                   && one.second != Level::off;
        });
        return is_found;
    }

    [[nodiscard]] std::string suggestion(std::uint32_t operation, std::string_view pointer) const {
        std::vector<std::string_view> known;
        for (auto const& schema : program.schemas) {
            if (schema.operation != operation) continue;
            for_each_own_rule(program, schema, [&](RuleIndex rule) {
                known.push_back(program.rules[rule].pointer);
            });
            for (RuleIndex const rule : shared_rules_of(program, schema))
                known.push_back(program.rules[rule].pointer);
        }
        if (auto const near = config::nearest(pointer, known)) {
            return "did you mean " + config::in_quotes(*near) + "?";
        }
        return "copy rule_pointer of a violation";
    }
};

[[nodiscard]] bool is_of_response(std::string_view pointer) noexcept {
    return pointer.rfind("/responses/", 0) == 0;
}

} // namespace

CompiledLevels LevelTable::compile(Contract const& contract, ApiLevels levels,
                                   std::vector<LevelOverride> const& overrides) {
    Program const& program = contract.program();
    CompiledLevels result;
    auto& rules = result.table.rules_;
    rules.assign(program.rules.size(), Level::enforce);
    std::size_t const count = program.schemas.size();
    Compiler compiler{program, rules, result.table.exceptions_,
                      std::vector<Level>(count, Level::enforce),
                      std::vector<Level>(contract.operations().size(), levels.requests)};
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_of_response = program.schemas[i].side == Side::response;
        compiler.set_all(i, is_of_response ? levels.responses : levels.requests);
    }
    compiler.set_read_only(levels.read_only);
    // Whole operations first, so that a single rule takes precedence wherever it is in the list.
    for (bool const is_for_rules : {false, true}) {
        for (std::size_t i = 0; i < overrides.size(); ++i) {
            LevelOverride const& one = overrides[i];
            if (one.rule.empty() == is_for_rules) continue;
            Operation const* const operation = contract.find_operation(one.operation);
            if (operation == nullptr) {
                std::vector<std::string_view> known;
                for (auto const& each : contract.operations())
                    known.push_back(each.id);
                result.problems.push_back(
                    {i, "the contract has no operation " + config::in_quotes(one.operation),
                     config::suggestion(one.operation, known)});
            } else if (!is_for_rules) {
                compiler.set_operation(operation->index, one.level, levels.responses);
            } else if (is_of_response(one.rule) && one.level == Level::enforce) {
                result.problems.push_back({i,
                                           "a rule of a response cannot be enforced: responses are "
                                           "forwarded before they are checked",
                                           "write report or off"});
            } else if (!compiler.set_rule(operation->index, one.rule, one.level)) {
                result.problems.push_back({i,
                                           "the operation " + one.operation + " has no rule "
                                               + config::in_quotes(one.rule),
                                           compiler.suggestion(operation->index, one.rule)});
            }
        }
    }
    compiler.raise_operations();
    auto const& of_operations = compiler.operation_levels;
    result.table.api_requests_ = levels.requests;
    result.table.enforces_any_ =
        std::find(of_operations.begin(), of_operations.end(), Level::enforce)
        != of_operations.end();
    result.table.requests_ = std::move(compiler.operation_levels);
    auto& checked_responses = result.table.checked_responses_;
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_checked = compiler.has_active_rule(i);
        result.table.checked_.push_back(is_checked);
        if (!is_checked || program.schemas[i].side != Side::response) continue;
        checked_responses.resize(contract.operations().size());
        checked_responses[program.schemas[i].operation] = true;
    }
    if (!program.shared.empty()) {
        for (Rule const& rule : program.rules) {
            result.table.is_shared_.push_back(rule.shared != not_shared);
            result.table.is_of_schema_.push_back(has_level_of_schema(rule));
        }
        result.table.schemas_ = std::move(compiler.schema_levels);
    }
    return result;
}

Level LevelTable::of_shared(std::uint32_t rule, std::uint32_t schema) const noexcept {
    auto const own = exceptions_.find({rule, schema});
    if (own != exceptions_.end()) return own->second;
    return is_of_schema_[rule] ? schemas_[schema] : rules_[rule];
}

std::optional<Violation> break_rule(Contract const& contract, LevelTable const& levels,
                                    ResponseRule rule) {
    if (!rule || levels.of(*rule) == Level::off) return std::nullopt;
    Rule const& broken = contract.program().rules[*rule];
    Violation violation;
    violation.rule = broken.keyword;
    violation.rule_pointer = broken.pointer;
    violation.level = Level::report; // a response is never refused
    return violation;
}

} // namespace sallyport::contract
