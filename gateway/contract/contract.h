// A contract: one OpenAPI 3.1 document, compiled once into operations, a router and schema
// programs; immutable.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/labels.h"
#include "gateway/contract/level.h"
#include "gateway/contract/router.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

struct Program; // the compiled schemas: program.h, for the evaluator only

/// One compiled schema: of a body, or of a parameter. A handle, valid while its contract lives.
struct BodySchema {
    Program const* program = nullptr;
    std::uint32_t index = 0; // into Program::schemas
};

struct MediaType {
    std::string
        name; // lower case, without parameters: "application/json"; or a range: "image/*", "*/*"
    std::optional<BodySchema>
        schema; // of JSON media types: such a body is read whole and validated
};

/// `name` in lower case, without parameters. An exact name goes before `type/*`, and that before
/// `*/*`. Null: none of them.
[[nodiscard]] MediaType const* find_media_type(std::vector<MediaType> const& types,
                                               std::string_view name) noexcept;

struct RequestBody {
    bool required = false;
    std::vector<MediaType> media_types;
    std::optional<std::uint64_t> limit; // x-body-limit, in bytes

    [[nodiscard]] MediaType const* find(std::string_view name) const noexcept {
        return find_media_type(media_types, name);
    }
};

/// A rule of a response that is no keyword of a schema, by its number in the program: LevelTable
/// knows its level, break_rule() makes a violation of it.
using ResponseRule = std::optional<std::uint32_t>; // none: there is nothing to break

struct Response {
    std::uint16_t first =
        0; // the statuses it is for: 200 to 200, 200 to 299 (`2XX`), 0 to 999 (`default`)
    std::uint16_t last = 0;
    std::vector<MediaType> media_types; // none: nothing is said of the body
    ResponseRule media_type;            // where it has media types: that it is one of them
    ResponseRule malformed;             // where one has a schema: that such a body is JSON
    ResponseRule undeclared_secret;     // and: that no other member is named like a secret
};

enum class ParameterPlace : std::uint8_t { path, query, header };

/// How a list or an object is written as text (OpenAPI 3.1, 4.8.12.3).
enum class ParameterStyle : std::uint8_t {
    simple, // a,b
    form,   // name=a,b
    space_delimited,
    pipe_delimited,
    deep_object, // name[member]=a
};
enum class Explode : std::uint8_t { no, yes }; // yes: name=a&name=b; member=a&member2=b
/// `json`: the text is JSON, of any kind (`content` in OpenAPI).
enum class ParameterShape : std::uint8_t { value, list, object, json };

/// What of a plain value's schema the text itself answers: found at load, so that most values need
/// no evaluator. It proves that a value is valid, and nothing else.
struct PlainRule {
    /// Of parameters that take strings: the node of the schema, if its text answers every rule.
    std::uint32_t text_node = UINT32_MAX;
    bool asks_uuid = false; // and that is all it asks
    /// Of others: which integers are valid, and whether true and false are.
    bool takes_words = false;
    std::int64_t lowest = INT64_MAX;
    std::int64_t highest = INT64_MIN;
};

/// As what a text is read, which does not say itself of what kind it is (accepted.h finds it).
struct Reading {
    bool numbers = false;     // what JSON would take for a number is one,
    bool only_digits = false; // of integers if it is digits, perhaps behind a minus;
    bool words = false;       // true and false are booleans;
    bool null = false;        // null is null; all else is a string.
    /// What the rules refuse as one of these may be a string all the same, and is asked again as
    /// one.
    bool or_text = false;
};

/// An item of a list, or a member of an object.
struct Part {
    Reading reading;
    std::vector<std::uint32_t> nodes; // what it is asked whatever else is: into Program::nodes
};

struct Parameter {
    struct Member {
        std::string name;
        Part part;
    };
    struct PatternMember {
        std::uint32_t pattern = 0; // into Program::patterns
        Part part;
    };

    std::string name;
    std::string pointer;       // what its rules begin with: "/parameters/limit"
    config::yaml::Mark mark;   // where it stands in the document,
    std::string document_path; // and under which name: for problems
    ParameterPlace place = ParameterPlace::path;
    ParameterShape shape = ParameterShape::value;
    ParameterStyle style = ParameterStyle::simple;
    Explode explode = Explode::no;
    bool required = false;
    bool allows_empty = false;        // allowEmptyValue: no rule is asked of an empty one
    std::optional<BodySchema> schema; // none: any text
    Reading reading;                  // of a value
    PlainRule plain_rule;             // of a value
    std::vector<Part> first;          // of a list: its first items, where each has its own schema
    std::vector<Member> members;      // of an object: all names that its schema mentions,
    std::vector<PatternMember> patterns; // and patterns of names
    Part others;                         // all other items or members

    /// Of an object whose members are pairs of the query of their own: what becomes of pairs that
    /// belong to nobody else.
    bool takes_others = false;              // they are members of this
    std::optional<std::uint32_t> closed_by; // the rule that wants none of them: into Program::rules

    /// Whether its members are pairs `member=value`, among those of other parameters.
    [[nodiscard]] bool is_spread() const noexcept {
        return place == ParameterPlace::query && shape == ParameterShape::object
               && style == ParameterStyle::form && explode == Explode::yes;
    }
};

/// Where the names of a query's parameters are found, whatever their number (query_owner.h).
struct QueryIndex {
    struct Name {
        std::uint32_t hash = 0; // hash_name
        std::uint32_t parameter = 0;
        std::uint32_t member = UINT32_MAX; // of an object whose members are pairs of their own
    };
    std::vector<Name> names;             // by hash
    std::vector<std::uint32_t> deep;     // objects in the style deepObject, in their order
    std::optional<std::uint32_t> others; // the object whose members are all other pairs
    /// Of what is left of names that some readers may take for a declared one (query_names.h);
    /// ordered.
    std::vector<std::uint32_t> lookalikes;
};

/// Deadlines that the contract sets (x-timeouts) instead of the upstream's.
struct Timeouts {
    std::optional<std::chrono::milliseconds> connect;
    std::optional<std::chrono::milliseconds> first_byte;
    std::optional<std::chrono::milliseconds> idle;
    std::optional<std::chrono::milliseconds> total;
};

struct Operation {
    std::string id;
    std::string method;                       // upper case
    std::string path;                         // the template
    std::vector<std::string> parameter_names; // of the path, in its order
    std::vector<Parameter> path_parameters;   // in the same order, one each
    std::vector<Parameter> query_parameters;
    QueryIndex query_index; // of these
    std::vector<Parameter> header_parameters;
    std::vector<std::string> header_names;   // of those
    std::optional<RequestBody> request_body; // none: the operation takes no body
    std::vector<Response> responses;         // the narrowest first
    ResponseRule declared_status;            // where not every status is declared: that it is
    bool retry_safe = false;                 // x-retry: safe
    Timeouts timeouts;
    std::string source; // x-source, where the operation has one
    std::uint32_t index = 0;

    /// An exact status goes before a range, and that before `default`. Null: none is declared.
    [[nodiscard]] Response const* find_response(unsigned status) const noexcept;
    /// The schema of a body of that status and media type (as in find_media_type); null: none.
    [[nodiscard]] BodySchema const*
    response_schema(unsigned status,
                    std::string_view media_type = "application/json") const noexcept;
    [[nodiscard]] bool has_query_parameter(std::string_view name) const noexcept;
    /// The name of the parameter that a pair of the query belongs to, by the pair's raw name; empty:
    /// to none. Safe to log, as the pair's own name is not.
    [[nodiscard]] std::string_view query_parameter_of(std::string_view raw_name) const;
};

class Contract;

struct Loaded {
    std::shared_ptr<Contract const> contract; // null if there is an error among the problems
    config::yaml::Problems problems;          // all that were found, warnings too, by place
};

/// What is known beside the document that is loaded.
struct LoadOptions {
    /// Folders with documents that `$ref` may lead to: a file is found by its `$id`, or by the path
    /// of the URI. Nothing is ever fetched from a network.
    std::vector<std::string> schema_folders;
};

/// JSON Schema 2020-12 validation, 7.2.1: formats are annotations unless somebody asks for more.
enum class Formats : std::uint8_t { annotate, assert_them };

class Contract {
public:
    /// `text` is YAML or JSON; `name` stands in the problems.
    [[nodiscard]] static Loaded load_file(std::string const& path, LoadOptions const& options = {});
    [[nodiscard]] static Loaded load_text(std::string_view text, std::string_view name,
                                          LoadOptions const& options = {});
    /// A single JSON Schema, 2020-12, without paths or operations: find it in schema().
    [[nodiscard]] static Loaded load_schema(std::string_view text, std::string_view name,
                                            Formats formats = Formats::assert_them,
                                            LoadOptions const& options = {});

    Contract(Contract const&) = delete;
    Contract& operator=(Contract const&) = delete;
    ~Contract();

    [[nodiscard]] std::string const& title() const noexcept { return title_; }
    [[nodiscard]] std::vector<Operation> const& operations() const noexcept { return operations_; }
    [[nodiscard]] Operation const* find_operation(std::string_view id) const noexcept;

    /// `path` is raw: still percent-encoded, without query.
    [[nodiscard]] RouteMatch route(std::string_view path) const noexcept {
        return router_.route(path);
    }
    [[nodiscard]] Router const& router() const noexcept { return router_; }
    /// The operation of a path that was found, HEAD being that of GET where it is not there itself;
    /// null: the path knows no such method, its `allow` says which.
    [[nodiscard]] Operation const* find_operation(RouteMatch const& match,
                                                  std::string_view method) const noexcept;

    /// What belongs to this contract whole, each with a slash at both ends: `/v1/`, `/api/v2/`. Of
    /// each path the literal segments up to the first that is a version (`v1`), else the first one;
    /// `/` where a path begins with a parameter.
    /// `/v1/` owns the path `/v1` as well. Sorted, none inside another.
    [[nodiscard]] std::vector<std::string> const& owned_prefixes() const noexcept {
        return owned_prefixes_;
    }

    /// Names of members marked x-secret, writeOnly or format: password, sorted, as they are spelled.
    [[nodiscard]] std::vector<std::string> const& secret_members() const noexcept {
        return secret_members_;
    }

    /// Which x-when entries bind a caller: once per credential, not per request.
    [[nodiscard]] Conditions conditions_for(Labels const& labels) const;
    /// Names that some x-when asks for, sorted: a credential's label that is none of them binds
    /// nothing here.
    [[nodiscard]] std::vector<std::string> const& label_names() const noexcept {
        return label_names_;
    }

    [[nodiscard]] std::optional<BodySchema> schema() const noexcept { return schema_; }
    [[nodiscard]] Program const& program() const noexcept { return *program_; }

private:
    friend class Loader;
    Contract();

    std::string title_;
    std::vector<Operation> operations_;
    Router router_;
    std::vector<std::string> owned_prefixes_;
    std::vector<std::string> secret_members_;
    std::vector<std::string> label_names_;
    std::optional<BodySchema> schema_;
    std::unique_ptr<Program> program_;
};

/// Two templates, one of each contract, that can match one path; nullopt: there are none.
struct PathClash {
    std::string left;
    std::string right;
};
[[nodiscard]] std::optional<PathClash> find_clash(Contract const& left, Contract const& right);

} // namespace sallyport::contract
