// Runs a compiled schema over one parsed text.
#pragma once

#include "gateway/contract/evaluate/canonical.h"
#include "gateway/contract/evaluate/facts.h"
#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/evaluate/value_hashes.h"
#include "gateway/contract/evaluate/verdicts.h"
#include "gateway/contract/labels.h"
#include "gateway/contract/levels.h"
#include "gateway/contract/patterns/own_patterns.h"
#include "gateway/contract/report.h"
#include "gateway/contract/schema/program.h"
#include "gateway/contract/text/json_text.h"
#include "gateway/contract/validator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// One text to evaluate; all of it outlives the run.
struct Subject {
    Tape tape;
    Facts* facts = nullptr;       // of this tape; for a tape without arrays and objects any
    NumberTexts* texts = nullptr; // of the same text
    std::size_t size = 0;         // of the text, in bytes
    /// Large numbers on the tape are replaced by `0`: their values are only in `texts`.
    bool has_large_numbers = false;
    std::string_view name = {}; // of the parameter; empty: a body
    ValuePlace in = ValuePlace::body;
};

/// What is evaluated: a schema (an index into Program::schemas), or a node of it.
struct SchemaPart {
    std::uint32_t schema = 0;
    NodeIndex node = anything;
};

/// One per validator: reuses its scratch memory. Not reentrant.
class Evaluator {
public:
    /// Adds the violations of the schema to `report`. Returns false if the work limit is exceeded:
    /// the checks would take far longer than the length of the text justifies.
    [[nodiscard]] bool run(Program const& program, SchemaPart schema, Subject const& subject,
                           Conditions const& conditions, LevelTable const& levels, Report& report);

    /// The work of the last run, in units of one schema applied to one value.
    [[nodiscard]] std::uint64_t work() const noexcept { return whole_budget_ - budget_; }

    /// Searches the text of the last run, which must still be valid.
    void find_undeclared(UndeclaredSearch& search);

    /// Frees memory that grew with the texts; keeps the patterns, which are expensive to make.
    void give_back();

private:
    // The effect of a broken rule at the current position. Forms of anyOf and oneOf, if, not and
    // contains are trials.
    using Mode = Verdicts::Kind;
    [[nodiscard]] bool is_recording() const noexcept {
        return mode_ == Mode::asserted || mode_ == Mode::reported;
    }
    [[nodiscard]] bool notes() const noexcept { return mode_ != Mode::trial; }
    [[nodiscard]] Level level_of(RuleIndex rule) const noexcept {
        Level const level = levels_->of(rule, schema_);
        return mode_ == Mode::reported && level == Level::enforce ? Level::report : level;
    }
    [[nodiscard]] bool is_enforced(RuleIndex rule) const noexcept {
        return levels_->of(rule, schema_) == Level::enforce;
    }
    // The path to the current value: one step for each array and object around it.
    struct Step {
        std::string_view
            name; // of a declared property; data() null: an item, or an undeclared property
        std::uint32_t index = 0; // of an item; of an undeclared property: its name's place
        enum class Kind : std::uint8_t { member, unknown_member, item } kind = Kind::member;
    };

    bool check(NodeIndex index, TapeIndex at);
    bool check_rules(SchemaNode const& node, TapeIndex at);
    bool check_recursive(NodeIndex index, TapeIndex at);
    bool check_tracked(SchemaNode const& node, TapeIndex at);
    // A value inside the current one: what is evaluated in it does not count for the current one.
    bool check_inside(NodeIndex index, TapeIndex at) {
        if (index == anything) return true;
        if (!subject_.has_large_numbers && program_->nodes[index].at_once.takes(tape_, at)) {
            return true;
        }
        return is_tracking_ ? check_apart(index, at) : check(index, at);
    }
    bool check_apart(NodeIndex index, TapeIndex at);
    void survey_rules(SchemaNode const& node, TapeIndex at);
    void survey_group(std::uint32_t begin, std::uint32_t end, TapeIndex at);
    bool run_group(std::uint32_t begin, std::uint32_t end, TapeIndex at);
    bool run_instruction(Instruction const& instruction, TapeIndex at);

    // evaluate.cpp: schemas within schemas
    bool check_all(Children const& children, TapeIndex at);
    bool check_not(Instruction const& instruction, TapeIndex at);
    bool check_conditional(Conditional const& conditional, TapeIndex at);
    bool check_read_only(RuleIndex rule);

    // evaluate_forms.cpp: anyOf and oneOf
    struct Forms {
        Instruction const& instruction;
        Children const& children;
        TapeIndex at;
        std::size_t meant; // index of the child that the discriminator selects; SIZE_MAX: none
        std::string_view discriminator; // name of the property; empty: there is none
    };
    bool check_forms(Instruction const& instruction, TapeIndex at);
    bool check_only(Forms const& forms, NodeIndex node);
    bool check_any(Forms const& forms);
    bool check_one(Forms const& forms);
    template <class Visit>
    void for_each_candidate(Forms const& forms, Visit const& visit);
    [[nodiscard]] Fit try_form(NodeIndex node, TapeIndex at);
    void survey(NodeIndex node, TapeIndex at);
    void survey_forms(Forms const& forms);
    bool fail_forms(Forms const& forms);
    enum class RuledOutBy : std::uint8_t { type, members };
    [[nodiscard]] bool is_ruled_out(NodeIndex index, TapeIndex at, RuledOutBy by,
                                    std::string_view discriminator);
    [[nodiscard]] NodeIndex only_form_of_type(Forms const& forms);
    [[nodiscard]] TapeIndex find_member(TapeIndex object, std::string_view name,
                                        std::uint32_t hash);
    [[nodiscard]] std::size_t find_meant(Children const& children, TapeIndex at);

    // evaluate_values.cpp: one value
    [[nodiscard]] std::uint8_t bits_of(TapeIndex at);
    [[nodiscard]] bool is_integer(TapeIndex at);
    [[nodiscard]] int compare(TapeIndex at, NumberOperand const& bound);
    [[nodiscard]] bool is_multiple(TapeIndex at, NumberOperand const& divisor);
    [[nodiscard]] bool is_one_of(TapeIndex at, ConstantSet const& constants);
    [[nodiscard]] bool fits(TapeIndex at, Format format);
    [[nodiscard]] bool has_code_points(std::string_view text, std::uint64_t least);
    [[nodiscard]] bool matches(std::size_t pattern, std::string_view text);
    [[nodiscard]] bool matches_expensively(Pattern const& pattern, std::string_view text);
    // Work that grows with the size of a value, in addition to the schema that was counted.
    void spend(std::uint64_t work) { budget_ = budget_ > work ? budget_ - work : 0; }
    // For one access to each item or property.
    void spend_for_walk(TapeIndex at) { spend((tape_.payload(at) >> 32) / 4); }
    [[nodiscard]] std::string_view text_of(TapeIndex at);

    // evaluate_containers.cpp: arrays and objects
    bool check_items(ItemList const& list, TapeIndex at);
    bool check_all_items(NodeIndex index, TapeIndex at);
    [[nodiscard]] bool is_unique(TapeIndex at);
    [[nodiscard]] bool has_twins(TapeIndex at);
    [[nodiscard]] bool are_equal(TapeIndex left, TapeIndex right);
    bool check_contains(Contains const& contains, TapeIndex at);

    // evaluate_members.cpp
    bool check_members(MemberTable const& table, TapeIndex at);
    // The result of one pass over the properties of an object.
    struct Pass {
        bool holds = true;
        bool has_additional = false;
        // Which properties of the table are present, if that is needed: in `few`, or in seen_ from
        // index `many` on.
        bool is_many = false;
        std::uint64_t few = 0;
        std::size_t many = 0;
    };
    [[nodiscard]] bool is_met(Pass const& pass, std::uint32_t member) const noexcept;
    void note_met(Pass& pass, std::uint32_t member) noexcept;
    void check_each(MemberTable const& table, TapeIndex at, Pass& pass);
    bool check_rest(MemberTable const& table, TapeIndex at, Pass const& pass);
    void check_member(MemberTable const& table, MemberTable::Slot const* found, TapeIndex name,
                      Pass& pass);
    [[nodiscard]] bool is_additional(MemberTable const& table, TapeIndex name);
    bool check_presence(MemberTable const& table, Pass const& pass);
    bool check_dependent(MemberTable const& table, Pass const& pass, TapeIndex at);
    bool check_names(NodeIndex node, TapeIndex at);
    void note_object(TapeIndex at);
    void note_name(TapeIndex name, Mark mark);
    void note_deprecated(Member const& member);
    void step_to(TapeIndex name);

    // evaluate_unevaluated.cpp: what matching schemas have evaluated, and what is left
    void note_evaluated(TapeIndex place) {
        if (is_tracking_) evaluated_.push_back(place);
    }
    bool check_unevaluated_items(Unevaluated const& rule, TapeIndex at);
    bool check_unevaluated_properties(Unevaluated const& rule, TapeIndex at);
    void mark_evaluated();
    [[nodiscard]] std::uint64_t count(TapeIndex at); // items or properties

    // undeclared.cpp
    void find_undeclared_in(TapeIndex at, UndeclaredSearch& search);

    // violations.cpp: a rule is broken here. Each function returns whether it still counts as true.
    bool fail(RuleIndex rule);
    bool fail_type(SchemaNode const& node, TapeIndex at);
    bool fail_missing(RuleIndex rule, std::string_view missing, std::string_view trigger);
    bool fail_kind(RuleIndex rule, Discriminator const& discriminator, TapeIndex name);
    bool fail_many(RuleIndex rule, std::size_t fitting, std::size_t forms);
    using IsFault = std::function<bool(TapeIndex name)>;
    bool fail_unknown(RuleIndex rule, TapeIndex at, IsFault const& is_fault);
    struct Failure {
        bool counts_as_true = false;
        bool is_written = false; // as a violation
    };
    [[nodiscard]] Failure judge(RuleIndex rule);
    [[nodiscard]] std::string pointer_here() const;
    [[nodiscard]] std::string pointer_as_sent() const;
    Violation& add_violation(RuleIndex rule);
    void name_undeclared(Violation& violation, TapeIndex at, IsFault const& is_fault) const;

    Program const* program_ = nullptr;
    Subject subject_;
    Tape tape_;
    Conditions const* conditions_ = nullptr;
    LevelTable const* levels_ = nullptr;
    std::uint32_t schema_ = 0; // whose rules they are
    Report* report_ = nullptr;

    Mode mode_ = Mode::asserted;
    std::uint64_t budget_ = 0; // remaining work for this text
    std::uint64_t whole_budget_ = 0;
    std::uint64_t looks_ = 0;         // remaining work for patterns
    std::size_t open_ = 0;            // nested schemas that are being checked
    std::uint64_t soft_failures_ = 0; // violations at level report in a trial

    Verdicts verdicts_;
    std::vector<Step> steps_;
    std::vector<std::uint64_t> seen_; // which properties were found, for the open objects
    // Whether any schema around the current value has unevaluatedItems or unevaluatedProperties.
    bool is_tracking_ = false;
    std::size_t frame_ = 0;                      // where the current schema begins in evaluated_
    std::vector<TapeIndex> evaluated_;           // names and items
    std::vector<std::uint32_t> evaluated_marks_; // by place
    std::uint32_t evaluated_epoch_ = 0;
    OwnPatterns patterns_;
    // The result of the last find_member().
    struct FoundMember {
        TapeIndex object = 0;
        std::uint32_t hash = 0;
        std::string_view name;
        TapeIndex place = 0; // 0: there is none
    };
    FoundMember found_;
    ValueHashes hashes_;
    std::vector<std::uint64_t> unique_; // the items of one array: hash above place; 0: a free slot
    CanonicalWriter writer_;
    std::string canonical_;
    std::string other_canonical_;
};

} // namespace sallyport::contract
