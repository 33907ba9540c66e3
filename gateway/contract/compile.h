// Compiles JSON Schema (2020-12) out of a loaded document into a Program; what it does not
// implement is a problem.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/program.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::contract {

inline constexpr std::size_t max_rules = 100'000; // of a contract, with every `$ref` expanded
inline constexpr std::size_t max_schema_depth =
    200; // schemas inside each other, `$ref` steps included

// Problems of one document, each thing once, however often a `$ref` leads to it.
class ProblemList {
public:
    void add(config::yaml::Node const& node, std::string path, std::string what,
             std::string hint = {},
             config::yaml::Severity severity = config::yaml::Severity::error);
    void add_at(config::yaml::Mark const& mark, std::string path, std::string what,
                std::string hint = {},
                config::yaml::Severity severity = config::yaml::Severity::error);
    [[nodiscard]] bool has_errors() const noexcept { return has_errors_; }
    [[nodiscard]] config::yaml::Problems take();

private:
    config::yaml::Problems problems_;
    std::set<std::string> known_;
    bool has_errors_ = false;
};

// A node found by a JSON pointer, and its path for problems.
struct Target {
    config::yaml::Node const* node = nullptr;
    std::string path;
};
// `reference` is `#`, or `#/...`: a JSON pointer as a URI fragment (RFC 6901, 6). nullopt: nothing
// is there.
[[nodiscard]] std::optional<Target> resolve_local(config::yaml::Node const& document,
                                                  std::string_view reference);

// What a whole schema is for.
struct SchemaUse {
    std::string pointer; // what rule pointers begin with: "", "/responses/200", "/parameters/id"
    std::string source;  // x-source of what stands around it
    std::string_view member;     // a name that a secret marked in it goes by; empty: none
    std::uint32_t operation = 0; //
    CompiledSchema::Side side = CompiledSchema::Side::request;
};

class SchemaCompiler {
public:
    SchemaCompiler(config::yaml::Node const& document, Program& program, ProblemList& problems)
        : document_{document}, program_{program}, problems_{problems} {}

    // `schema` stands at `path`. The result is of use only if no problem was added.
    BodySchema compile(config::yaml::Node const& schema, std::string const& path,
                       SchemaUse const& use);

    [[nodiscard]] std::set<std::string> const& secret_members() const noexcept {
        return secret_members_;
    }
    [[nodiscard]] std::set<std::string> const& label_names() const noexcept { return label_names_; }
    // The kinds of values that a compiled schema takes, as far as its `type` says.
    [[nodiscard]] std::uint8_t accepted_types(NodeIndex node) const;

private:
    // Where we are.
    struct Place {
        std::string path;            // in the document, for problems
        std::string pointer;         // from the body schema
        std::string source;          // x-source
        std::string member;          // the innermost property around, for secrets
        bool is_for_callers = false; // inside an x-when
        bool is_question = false;    // inside if, not, anyOf or oneOf
    };
    struct Compiled {
        NodeIndex node = anything;
        bool is_deprecated = false;
    };
    // The node being built.
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
        bool is_deprecated = false;
    };
    using Node = config::yaml::Node;
    using Handler = void (SchemaCompiler::*)(Draft&, Node const&, std::string const& path);
    struct Keyword {
        std::string_view name;
        Handler handler;
    };
    [[nodiscard]] static std::vector<Keyword> const& keywords(); // compile_table.cpp
    [[nodiscard]] static Handler find_handler(std::string_view name);
    [[nodiscard]] static std::vector<std::string_view> keyword_names();

    // compile.cpp
    Compiled compile_node(Node const& schema, Place const& place);
    Compiled compile_object(Node const& schema, Place const& place);
    void finish(NodeIndex index, Draft const& draft);
    void find_range(Draft const& draft, SchemaNode& node) const;
    RuleIndex add_rule(Draft const& draft, std::string_view keyword, std::string expected,
                       std::string phrase);
    RuleIndex add_rule_at(Place const& place, std::string_view keyword, std::string pointer,
                          std::string expected, std::string phrase);
    void error(Node const& node, std::string const& path, std::string what, std::string hint = {});
    [[nodiscard]] static Place inside(Draft const& draft, std::string_view keyword,
                                      std::string const& path);
    void mark_secret(Draft const& draft, Node const& node, std::string const& path);

    // compile_references.cpp
    void keyword_ref(Draft& draft, Node const& value, std::string const& path);
    [[nodiscard]] bool is_recursive(Node const& schema);
    std::vector<Node const*> const& references_in(Node const& schema);

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
    void keyword_members(Draft& draft, Node const& value, std::string const& path);
    void keyword_definitions(Draft& draft, Node const& value, std::string const& path);
    [[nodiscard]] std::optional<std::uint64_t> compile_list(Draft& draft, Node const& value,
                                                            std::string_view keyword,
                                                            std::string const& path);
    void compile_properties(Draft& draft, MemberTable& table, Node const& value,
                            std::string const& path);
    void compile_required(Draft& draft, MemberTable& table, Node const& value,
                          std::string const& path);
    void compile_dependencies(Draft& draft, MemberTable& table, Node const& value,
                              std::string const& path);
    std::optional<std::uint32_t> compile_condition(Node const& labels, std::string const& path);

    // compile_keywords.cpp: assertions and annotations
    void keyword_type(Draft& draft, Node const& value, std::string const& path);
    void keyword_enum(Draft& draft, Node const& value, std::string const& path);
    void keyword_const(Draft& draft, Node const& value, std::string const& path);
    void keyword_minimum(Draft& draft, Node const& value, std::string const& path);
    void keyword_maximum(Draft& draft, Node const& value, std::string const& path);
    void keyword_exclusive_minimum(Draft& draft, Node const& value, std::string const& path);
    void keyword_exclusive_maximum(Draft& draft, Node const& value, std::string const& path);
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
    void keyword_schema(Draft& draft, Node const& value, std::string const& path);
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
        std::vector<Instruction> Draft::*group;
    };
    void add_count(Draft& draft, Node const& value, std::string const& path, Count const& count);

    config::yaml::Node const& document_;
    Program& program_;
    ProblemList& problems_;
    std::set<std::string> secret_members_;
    std::set<std::string> label_names_;
    std::map<std::string, std::uint32_t> pattern_numbers_;
    std::map<std::string, std::uint32_t> condition_numbers_;

    // Of the schema being compiled.
    struct Opened {
        NodeIndex node = anything;
        std::size_t descents = 0; // into members and items, when it was opened
        bool is_open = true;
        bool is_deprecated = false;
    };
    // Schemas in progress, or referring to themselves; apart as assertions and as questions, since
    // levels are.
    std::map<std::pair<Node const*, bool>, Opened> opened_;
    std::size_t descents_ = 0;
    std::size_t depth_ = 0;
    std::size_t declaring_ = 0; // member tables with properties so far
    bool is_full_ = false;

    std::unordered_map<Node const*, std::vector<Node const*>> references_;
    std::unordered_map<Node const*, bool> recursive_;
    std::set<Node const*> targets_; // of all `$ref`
};

} // namespace sallyport::contract
