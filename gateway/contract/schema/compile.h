// Compiles the JSON Schema (2020-12) of a loaded document into a Program; keywords that are not
// implemented are problems.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/schema/documents.h"
#include "gateway/contract/schema/meter.h"
#include "gateway/contract/schema/problem_list.h"
#include "gateway/contract/schema/program.h"
#include "gateway/contract/schema/schema_use.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::contract {

/// A name as a reference token of a JSON Pointer (RFC 6901, 3).
[[nodiscard]] std::string escape_token(std::string_view name);

/// Compiles the schemas of one contract, one after the other. Used while a contract is loaded, on
/// one thread.
class SchemaCompiler {
public:
    SchemaCompiler(Documents& documents, Program& program, ProblemList& problems,
                   References references = References::expanded, std::size_t most_parts = max_parts)
        : documents_{documents}, program_{program}, problems_{problems},
          references_are_{references}, most_parts_{most_parts} {}

    /// Whether a keyword of schemas says which values are valid, or which are secret.
    [[nodiscard]] static bool is_rule(std::string_view keyword);

    /// Adds the schema to the program. The result is only usable if no problem was added.
    BodySchema compile(Target const& schema, SchemaUse const& use);

    [[nodiscard]] std::set<std::string> const& secret_members() const noexcept {
        return secret_members_;
    }
    /// Whether the body whose schema was compiled last is secret as a whole.
    [[nodiscard]] bool has_secret_body() const noexcept { return has_secret_body_; }
    [[nodiscard]] std::set<std::string> const& label_names() const noexcept { return label_names_; }
    /// Whether a schema was left out because there were too many parts.
    [[nodiscard]] bool is_full() const noexcept { return is_full_; }

private:
    // Position of the current schema.
    struct Place {
        std::string path;            // in the document, for problems
        std::string pointer;         // from the body schema
        std::string source;          // x-source
        std::uint32_t holder = 0;    // into holders_: which property contains a secret marked here
        bool is_for_callers = false; // inside an x-when
        bool is_for_names = false;   // inside propertyNames
        // Inside not, if, oneOf or a counted contains: a rule that is left out here could refuse
        // something elsewhere.
        bool is_exact = false;
        // The outermost if, not, anyOf, oneOf or contains around it; 0: none.
        std::uint32_t trial = 0;
        Resource const* resource = nullptr;
        std::uint32_t scope = 0; // index into scopes_
        // The outermost schema that applies to the same value by `allOf` and `$ref`; null: this
        // one.
        config::yaml::Node const* whole = nullptr;
        Resource const* whole_resource = nullptr;
        bool is_shared = false; // the target of a shared reference
        // The schema of whose allOf this is a part; null: it is none.
        config::yaml::Node const* part_of = nullptr;
        bool is_parent = false; // without the forms that it lists: see is_listed_by()
        // The name of the property whose schema this is, written at its place; null: it is none.
        std::string const* property = nullptr;
    };
    struct Compiled {
        NodeIndex node = anything;
        bool is_deprecated = false;
    };
    // The node that is being built.
    struct Draft {
        Place place;
        config::yaml::Node const* schema = nullptr;
        std::uint8_t types = value_bits::any;
        RuleIndex type_rule = no_rule;
        std::vector<Instruction> any;
        std::vector<Instruction> number;
        std::vector<Instruction> string;
        std::vector<Instruction> array;
        std::vector<Instruction> object;
        // Instructions that run after all others of their group.
        std::optional<Instruction> unevaluated_items;
        std::optional<Instruction> unevaluated_properties;
        bool is_deprecated = false;
        bool is_nullable = false;
        bool leaves_out_names = false; // a pattern of patternProperties
    };
    using Node = config::yaml::Node;
    using Handler = void (SchemaCompiler::*)(Draft&, Node const&, std::string const& path);
    struct Keyword {
        std::string_view name;
        Handler handler;
        Vocabularies vocabularies; // the vocabularies that define it
    };
    static std::array<Keyword, 67> const keywords; // compile_table.cpp
    [[nodiscard]] static Keyword const* find_keyword(std::string_view name);
    // The keywords of JSON Schema 2020-12, as a schema of OpenAPI 3.0 or 2.0 has them.
    enum class Words : std::uint8_t {
        of_3_0,
        of_later, // read as there
        without_rules,
        of_references, // what a `$ref` means depends on them
    };
    [[nodiscard]] static Words words_of_3_0(std::string_view name);
    [[nodiscard]] static bool is_in_swagger_2_0(std::string_view name);
    [[nodiscard]] static std::vector<std::string_view> keyword_names();

    // compile.cpp
    [[nodiscard]] Node const* enter_root(Node const& schema, Place& place);
    Compiled compile_node(Node const& schema, Place const& place);
    Compiled compile_object(Node const& schema, Place const& place);
    void compile_keyword(Draft& draft, config::yaml::Entry const& entry);
    void unknown_keyword(config::yaml::Entry const& entry, std::string const& path);
    void check_extension(config::yaml::Entry const& entry, std::string const& path);
    void finish(NodeIndex index, Draft const& draft);
    void find_first_look(Draft const& draft, SchemaNode& node) const;
    void find_range(Draft const& draft, SchemaNode& node) const;
    RuleIndex add_rule(Draft const& draft, std::string_view keyword, std::string expected,
                       std::string phrase);
    RuleIndex add_rule_at(Place const& place, config::yaml::Mark const& mark,
                          std::string_view keyword, std::string pointer, std::string expected,
                          std::string phrase);
    void error(Node const& node, std::string const& path, std::string what, std::string hint = {});
    [[nodiscard]] std::size_t parts() const noexcept;
    void refuse_growth();
    [[nodiscard]] static Place inside(Draft const& draft, std::string_view keyword,
                                      std::string const& path);
    [[nodiscard]] std::uint32_t trial_of(Draft const& draft);

    // compile_unchecked.cpp: rules that are left out
    struct LeftOut {
        std::size_t rules = 0;       // so far
        std::size_t evaluations = 0; // of them: those by which properties or items may be evaluated
    };
    void leave_out(config::yaml::Mark const& mark, std::string const& path, std::string what,
                   std::string hint = {});
    void leave_out_evaluations(config::yaml::Mark const& mark, std::string const& path,
                               std::string what, std::string hint = {});
    void leave_out_around(Draft const& draft, std::string_view keyword);
    [[nodiscard]] bool has_left_out(LeftOut const& before) const noexcept;
    [[nodiscard]] bool is_of_unknown_dialect(Draft const& draft);
    void check_unevaluated(Draft& draft, LeftOut const& before);
    [[nodiscard]] bool is_undermined(LeftOut const& before) const;

    // compile_contradictions.cpp
    void warn_of_contradictions(Draft const& draft);
    void warn_of_bounds(Draft const& draft);
    void warn_of_excluded_values(Draft const& draft);
    void warn_of_closed_object(Draft const& draft);
    void warn_of_parts(Draft const& draft);

    // compile_secrets.cpp
    [[nodiscard]] static bool can_hold_secret(std::string_view member) noexcept;
    [[nodiscard]] std::uint32_t add_holder(std::string_view member);
    void mark_secret(Draft const& draft, Node const& node, std::string const& path);
    void name_secrets(Target const& schema, SchemaUse const& use);

    // compile_references.cpp
    void keyword_ref(Draft& draft, Node const& value, std::string const& path);
    void keyword_dynamic_ref(Draft& draft, Node const& value, std::string const& path);
    void unresolved_reference(Node const& value, std::string const& path, Resolved resolved);
    void refer_to(Draft& draft, Target const& target, std::string_view keyword, Node const& value,
                  std::string const& path);
    struct Opened;
    void refers_in_place(Node const& value, std::string const& path);
    [[nodiscard]] bool is_listed_by(Draft const& draft, Target const& parent);
    [[nodiscard]] bool may_repeat(Opened const& opened, Place const& place) const;
    [[nodiscard]] Compiled repeat(Node const& schema, Place const& place);
    [[nodiscard]] std::optional<Compiled> expand(Target const& target, Place const& place,
                                                 Node const& value, std::string const& path);
    [[nodiscard]] bool has_loop(NodeIndex first); // compile_loops.cpp

    // compile_shared.cpp: shared references
    struct Reference {
        Target const& target;
        Place place;
        Node const& value; // of the `$ref`
        std::string const& path;
    };
    [[nodiscard]] std::optional<Compiled> share(Draft const& draft, Reference const& reference);
    [[nodiscard]] std::optional<Compiled> link_to(std::uint32_t number, Reference const& reference);
    void compile_shared(std::uint32_t number, Target const& target, Place const& place);
    void compile_put_off();
    void note_shared(std::uint32_t number, Reference const& reference);
    [[nodiscard]] bool leads_to_fault(std::uint32_t number) const;
    [[nodiscard]] std::vector<std::uint32_t> reachable_from(std::uint32_t number) const;
    void finish_shared(bool is_undermined);
    [[nodiscard]] std::uint32_t enter(std::uint32_t scope, Resource const& resource);
    [[nodiscard]] bool is_recursive(Node const& schema, Resource const& resource);
    std::vector<Target> const& references_in(Node const& schema, Resource const& resource);

    // compile_structure.cpp: schemas within schemas
    void keyword_all_of(Draft& draft, Node const& value, std::string const& path);
    void keyword_any_of(Draft& draft, Node const& value, std::string const& path);
    void keyword_one_of(Draft& draft, Node const& value, std::string const& path);
    void keyword_not(Draft& draft, Node const& value, std::string const& path);
    void keyword_if(Draft& draft, Node const& value, std::string const& path);
    void keyword_with_if(Draft& draft, Node const& value, std::string const& path);
    void keyword_x_when(Draft& draft, Node const& value, std::string const& path);
    void keyword_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_prefix_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_contains(Draft& draft, Node const& value, std::string const& path);
    void keyword_with_contains(Draft& draft, Node const& value, std::string const& path);
    void keyword_unevaluated_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_unevaluated_properties(Draft& draft, Node const& value, std::string const& path);
    void keyword_definitions(Draft& draft, Node const& value, std::string const& path);
    [[nodiscard]] std::optional<std::uint64_t> compile_list(Draft& draft, Node const& value,
                                                            std::string_view keyword,
                                                            std::string const& path);
    void warn_of_equal_forms(Draft const& draft, Node const& forms, Children const& children,
                             std::string const& path);
    [[nodiscard]] std::vector<std::string> kinds_of(Node const& form, Resource const& resource,
                                                    std::string const& member);
    [[nodiscard]] std::uint32_t compile_discriminator(Draft const& draft, Node const& forms);
    [[nodiscard]] Instruction compile_unevaluated(Draft& draft, Node const& value,
                                                  std::string_view keyword, Op op,
                                                  std::string const& path);
    std::optional<std::uint32_t> compile_condition(Node const& labels, std::string const& path);

    // compile_members.cpp: keywords for the properties of objects
    void keyword_members(Draft& draft, Node const& value, std::string const& path);
    void keyword_property_names(Draft& draft, Node const& value, std::string const& path);
    void finish_members(std::size_t first_table);
    void find_discriminants(MemberTable& table) const;
    class Mentions;
    void compile_properties(Draft& draft, MemberTable& table, Mentions& mentions, Node const& value,
                            std::string const& path);
    void compile_patterns(Draft& draft, MemberTable& table, Node const& value,
                          std::string const& path);
    void compile_additional(Draft& draft, MemberTable& table, Node const& value,
                            std::string const& path);
    void note_required_flag(Draft const& draft, Node const& value, std::string const& path);
    void require_flagged(Draft const& draft, MemberTable& table, Mentions& mentions,
                         Node const& properties);
    [[nodiscard]] bool is_of_other_side(Draft const& draft, std::string const& member);
    // Whether `holds` is true for a schema, or for one that its `$ref` and `allOf` apply to the
    // same value (OpenAPI 3.0).
    using InPlace = std::function<bool(Node const&, Resource const&)>;
    [[nodiscard]] bool any_in_place(Node const& schema, Resource const& resource,
                                    InPlace const& holds);
    void compile_required(Draft& draft, MemberTable& table, Mentions& mentions, Node const& value,
                          std::string const& path);
    void compile_dependencies(Draft& draft, MemberTable& table, Mentions& mentions,
                              Node const& value, std::string const& path);
    void compile_dependent_schemas(Draft& draft, MemberTable& table, Mentions& mentions,
                                   Node const& value, std::string const& path);

    // compile_keywords.cpp: assertions and annotations
    void keyword_type(Draft& draft, Node const& value, std::string const& path);
    void keyword_enum(Draft& draft, Node const& value, std::string const& path);
    void keyword_const(Draft& draft, Node const& value, std::string const& path);
    void keyword_minimum(Draft& draft, Node const& value, std::string const& path);
    void keyword_maximum(Draft& draft, Node const& value, std::string const& path);
    void keyword_exclusive_flag(Draft& draft, Node const& value, std::string const& path,
                                std::string_view bound);
    void keyword_exclusive_minimum(Draft& draft, Node const& value, std::string const& path);
    void keyword_exclusive_maximum(Draft& draft, Node const& value, std::string const& path);
    [[nodiscard]] static bool is_exclusive(Draft const& draft, std::string_view flag);
    [[nodiscard]] bool is_exclusive_flag(Draft const& draft, Node const& value,
                                         std::string const& path);
    void keyword_multiple_of(Draft& draft, Node const& value, std::string const& path);
    void keyword_min_length(Draft& draft, Node const& value, std::string const& path);
    void keyword_max_length(Draft& draft, Node const& value, std::string const& path);
    void keyword_min_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_max_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_min_properties(Draft& draft, Node const& value, std::string const& path);
    void keyword_max_properties(Draft& draft, Node const& value, std::string const& path);
    void keyword_unique_items(Draft& draft, Node const& value, std::string const& path);
    void keyword_pattern(Draft& draft, Node const& value, std::string const& path);
    void keyword_format(Draft& draft, Node const& value, std::string const& path);
    void keyword_annotation(Draft& draft, Node const& value, std::string const& path);
    void keyword_flag(Draft& draft, Node const& value, std::string const& path);
    void keyword_deprecated(Draft& draft, Node const& value, std::string const& path);
    void keyword_secret(Draft& draft, Node const& value, std::string const& path);
    void keyword_text(Draft& draft, Node const& value, std::string const& path);
    void keyword_nullable(Draft& draft, Node const& value, std::string const& path);
    void keyword_read_only(Draft& draft, Node const& value, std::string const& path);
    void check_mapping_target(Draft const& draft, Node const& value, std::string const& path);
    void check_mapping(Draft const& draft, Node const& mapping, std::string const& path);
    void keyword_discriminator(Draft& draft, Node const& value, std::string const& path);
    void keyword_identity(Draft& draft, Node const& value, std::string const& path);
    [[nodiscard]] bool is_root_of_openapi(Draft const& draft) const;
    void keyword_vocabulary(Draft& draft, Node const& value, std::string const& path);
    struct KnownPattern;
    [[nodiscard]] KnownPattern const* known_pattern(Node const& at, std::string const& path,
                                                    std::string const& pattern);
    [[nodiscard]] std::optional<std::uint32_t>
    pattern_number(Node const& at, std::string const& path, std::string const& pattern);
    [[nodiscard]] std::optional<std::uint64_t> count_of(Node const& value, std::string const& path);
    [[nodiscard]] std::optional<std::string> read_number(Node const& value,
                                                         std::string const& path);
    [[nodiscard]] bool read_flag(Node const& value, std::string const& path);
    struct Bound {
        Op op;
        std::string_view keyword;
        std::string_view phrase; // "must be at most"
    };
    void add_bound(Draft& draft, Node const& value, std::string const& path, Bound const& bound);
    struct Count {
        Op op;
        std::string_view keyword;
        std::string_view phrase; // "must have at most"
        std::string_view one;    // "item"
        std::string_view many;   // "items"
        std::vector<Instruction> Draft::*group;
    };
    void add_count(Draft& draft, Node const& value, std::string const& path, Count const& count);

    Documents& documents_;
    Program& program_;
    ProblemList& problems_;
    References references_are_;
    std::size_t most_parts_;
    std::set<std::string> secret_members_;
    std::set<std::string> label_names_;
    std::set<std::string> warned_words_; // for which a warning exists
    struct KnownPattern {
        std::uint32_t number = 0; // in the program
        std::string warning;      // for each place where it is used; empty: none
        std::string hint;
        std::string why_never; // it matches no text; empty: it may
    };
    std::map<std::string, KnownPattern> known_patterns_;
    // Patterns that cannot be used, with why and a hint.
    std::map<std::string, std::pair<std::string, std::string>> unsupported_patterns_;
    std::map<std::string, std::uint32_t> condition_numbers_;

    // A schema of the current body or parameter.
    struct Opened {
        NodeIndex node = anything;
        std::size_t descents = 0; // into properties and items, when it was opened
        std::uint32_t trial = 0;
        std::uint32_t holder = 0; // of secrets marked in it
        bool is_open = true;
        bool is_deprecated = false;
    };
    // Schemas in progress, or recursive ones, with their last occurrence; separate for assertions
    // and conditions, which have different levels, for parents without their forms, and for each
    // dynamic scope, which determines their content.
    using OpenedKey = std::tuple<Node const*, bool, bool, std::uint32_t>;
    std::map<OpenedKey, Opened> opened_;
    // A schema of the contract that references share.
    struct Shared {
        NodeIndex node = anything;
        std::size_t descents = 0; // into properties and items, when it was opened
        std::uint32_t holder = 0; // of secrets marked in it, in the body that led to it first
        bool is_open = false;     // it is being compiled
        bool is_finished = false; // with the body that led to it first
        bool is_deprecated = false;
        bool holds_secret = false; // without the name of a property
        bool is_undermined = false;
        bool has_fault = false; // of a response
        LeftOut left_out{};
        std::vector<std::uint32_t> reached{}; // unchecked places
    };
    // Everything that the rules of a target depend on: the target, the schema that applies to the
    // same value, the dynamic scope, the side, in which kinds of keywords it is, x-source.
    using SharedKey = std::tuple<Node const*, Node const*, std::uint32_t, CompiledSchema::Side,
                                 unsigned, std::string>;
    std::map<SharedKey, std::uint32_t> shared_numbers_;
    std::vector<Shared> shared_;                        // as Program::shared
    std::uint32_t current_shared_ = not_shared;         // that is being compiled
    std::vector<std::uint32_t> referred_;               // by the current body itself
    std::size_t first_shared_ = 0;                      // of the current body
    struct PutOff {
        std::uint32_t number = 0;
        Target target;
        Place place;
    };
    std::vector<PutOff> put_off_;
    // References to schemas that are already compiled.
    struct Link {
        NodeIndex to = anything;
        Node const* value = nullptr;
        std::string path;
        bool is_exact = false; // of its place
    };
    std::vector<Link> links_;
    // What is left out, and referred to, in a recursive schema of the current body.
    struct Expansion {
        NodeIndex node = anything;
        bool has_left_out = false;
        std::size_t first_link = 0;
        std::size_t end_link = 0;
    };
    std::vector<Expansion> expansions_;
    LeftOut left_out_;
    // The dynamic anchors of the path to the current schema, the outermost of each name (core,
    // 8.2.3.2). The target of a `$dynamicRef` is known at compile time, since every `$ref` is
    // expanded.
    using Scope = std::map<std::string, Target, std::less<>>;
    std::vector<Scope> scopes_{Scope{}};
    std::map<std::vector<std::pair<std::string, Node const*>>, std::uint32_t> scope_numbers_;
    config::yaml::Node const* root_ = nullptr; // the schema being compiled
    std::string root_path_;
    std::size_t parts_before_ = 0; // before this schema
    std::size_t descents_ = 0;
    std::size_t depth_ = 0;
    std::size_t recursions_ = 0; // recursive schemas around the current one
    std::uint32_t trials_ = 0;
    std::size_t declaring_ = 0; // member tables with properties so far
    CompiledSchema::Side side_ = CompiledSchema::Side::request;
    bool shares_ = false; // in the current schema
    bool is_full_ = false;

    std::size_t work_ = 0;  // keywords so far, and the entries of their lists
    Meter repeated_;        // the part of work_ for repeated expansion of recursive schemas
    Meter repeated_inside_; // the same, inside the outermost open one
    std::size_t repeated_before_ = 0; // before this body

    // Which names cover the secrets of a body: a property, or a recursive schema for all properties
    // that lead to it; both may contain others.
    struct SecretHolder {
        std::string_view member; // in the document
        bool is_member = false;
    };
    struct SecretMark {
        std::uint32_t holder = 0;
        Node const* node = nullptr;
        std::string path;
        bool is_whole = false; // of the body
    };
    std::vector<SecretHolder> holders_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> held_; // holder, and one inside it
    std::vector<SecretMark> secret_marks_;
    bool has_secret_body_ = false;

    std::unordered_map<Node const*, std::vector<Target>> references_;
    std::unordered_map<Node const*, bool> recursive_;
};

} // namespace sallyport::contract
