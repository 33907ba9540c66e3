// Builds the tree of a document from the events of a reader (YAML or JSON), and keeps its limits.
// Internal to yaml.h and to what joins documents.
#pragma once

#include "config/yaml.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::config::yaml {

/// Positions in the order of the keys, those with the same key in their own.
[[nodiscard]] std::vector<std::uint32_t> order_of_keys(std::vector<Entry> const& entries);

struct Place {
    unsigned line = 0;
    unsigned column = 0;
};

enum class Proceed : bool { no, yes };

/// Takes begin/end and scalars in document order. After Proceed::no the reader stops: a limit was
/// passed, and reported it.
class Builder {
public:
    Builder(std::string_view name, Syntax syntax)
        : file_{intern_file_name(name)}, root_{std::make_unique<Node>()}, syntax_{syntax} {
        root_->mark_ = mark({1, 1});
    }

    [[nodiscard]] Proceed begin_sequence(Place place) { return begin(place, Kind::sequence); }
    [[nodiscard]] Proceed begin_mapping(Place place) { return begin(place, Kind::mapping); }
    void end();

    /// A scalar without quotes gets its type from its text.
    [[nodiscard]] Proceed plain_scalar(Place place, std::string_view text);
    [[nodiscard]] Proceed quoted_scalar(Place place, std::string_view text);

    /// The number of the anchor of the value or key that comes next; 0: it has none. Refused in a
    /// plain document, as aliases are.
    void anchor(Place place, std::size_t number);
    /// The value of the anchor with that number, in full.
    [[nodiscard]] Proceed alias(Place place, std::size_t number);
    [[nodiscard]] Syntax syntax() const { return syntax_; }

    /// Records a problem at the value or key that comes next.
    void refuse(Place place, std::string what, std::string hint);
    /// Records a problem after which there is no tree: of the syntax, of a limit, of the file (line
    /// 0).
    void refuse_document(Place place, std::string what, std::string hint);

    /// Where the reader is: directly in a sequence, or at the value of a key that stands at this
    /// place.
    [[nodiscard]] bool is_in_sequence() const {
        return !open_.empty() && open_.back().kind == Kind::sequence;
    }
    [[nodiscard]] bool is_at_key() const {
        return !open_.empty() && open_.back().kind == Kind::mapping && !open_.back().has_key;
    }
    [[nodiscard]] bool is_value_of_key_at(Place place) const;
    [[nodiscard]] bool has_problems() const { return !problems_.empty(); }

    [[nodiscard]] Document finish();

    /// A list or a mapping of parts of finished documents, which keep their marks; `mark` is its
    /// own. The keys of `entries` differ.
    [[nodiscard]] static Node list_of(Mark mark, std::vector<Node> items);
    [[nodiscard]] static Node mapping_of(Mark mark, std::vector<Entry> entries);

private:
    // What few lists and mappings have while they are read.
    struct Oddities {
        std::string key_problem; // reported with its entry: yaml-cpp announces keys that turn out
                                 // to be none
        std::string key_hint;
        std::vector<Entry> merged; // what `<<` names
    };
    // A list or a mapping that is being read. Its node is where it will stay, its children are at
    // the end of items_ or entries_.
    struct Frame {
        Kind kind = Kind::null;
        bool has_key = false; // of a mapping: the last of entries_ has its key, but no value
        bool key_is_unusable = false;
        bool key_is_merge = false;
        std::size_t first = 0; // of its items or entries
        std::size_t at = 0;    // of the item or the entry that is being read, for paths
        std::size_t anchor = 0;
        std::unique_ptr<Oddities> oddities = {}; // null: none

        Oddities& odd() {
            if (oddities == nullptr) oddities = std::make_unique<Oddities>();
            return *oddities;
        }
    };
    struct Scalar {
        Place place;
        std::string_view text;
        Kind kind = Kind::string;
        bool is_quoted = false;
        std::int64_t integer = 0;
        double number = 0;
    };
    // A value with an anchor, and what an alias to it costs.
    struct Anchored {
        Node node;
        std::size_t values = 0;
        std::size_t depth = 0; // 0: a scalar
    };

    [[nodiscard]] Mark mark(Place place) const { return {file_, place.line, place.column}; }
    [[nodiscard]] Proceed begin(Place place, Kind kind);
    [[nodiscard]] Proceed count_node(Place place);
    [[nodiscard]] Proceed refuse_too_many(Place place);
    [[nodiscard]] std::string path() const;
    [[nodiscard]] std::string path_around(); // of the mapping whose entry is being read
    [[nodiscard]] Proceed add_scalar(Scalar const& scalar);
    void set(Node& node, Scalar const& scalar) const;
    Node& begin_value();
    [[nodiscard]] Node& begun_value();
    void end_value();
    void add(Node&& node);
    void take_key(Mark mark, Kind kind, bool is_quoted, std::string_view text);
    void take_collection_as_key(Frame& frame);
    void end_entry(Frame& frame);
    void keep_anchored(Node const& node, std::size_t number) {
        if (number != 0) keep_copy(node, number);
    }
    void keep_copy(Node const& node, std::size_t number);
    void count_values(Node const& node, std::size_t level, Anchored& counted) const;
    void refuse_values_by_alias(Place place);
    void refuse_too_deep(Place place);
    void merge(Node& into, std::vector<Entry> const& named);
    static void merge_mapping(Node& into, Node const& mapping,
                              std::set<std::string, std::less<>>& known);
    void check_keys(Node& mapping);
    [[nodiscard]] static bool has_repeated_key(Node const& mapping);
    void remove_repeated_keys(std::vector<Entry>& entries);
    void add_problem(Mark where, std::string path, std::string what, std::string hint);

    std::string const* file_;
    std::vector<Frame> open_;
    // Of all that are open, those of the innermost last: each list of children is made once, when
    // it is complete, with the memory that it needs.
    std::vector<Node> items_;
    std::vector<Entry> entries_;
    std::unique_ptr<Node> root_;
    Problems problems_;
    std::size_t nodes_ = 0;
    Place last_scalar_;
    Extent extent_ = Extent::whole;
    Syntax syntax_;
    std::map<std::size_t, Anchored> anchored_;
    std::size_t next_anchor_ = 0;
    std::size_t values_by_alias_ = 0;
    std::size_t problems_left_out_ = 0;
};

enum class JsonResult : std::uint8_t { read, not_json };

/// Reads a JSON text (RFC 8259) with simdjson. not_json: a limit was passed, or read_json() knows
/// why; the builder is then of no use. A root that is a scalar is not read.
[[nodiscard]] JsonResult read_valid_json(std::string_view text, Builder& builder);

/// Whether it is a number, true, false or null as JSON writes them.
[[nodiscard]] bool is_json_word(std::string_view text);

/// Reads a JSON text into the builder, slowly. not_json: `where` and `what` are the reason; the
/// builder is then of no use.
[[nodiscard]] JsonResult read_json(std::string_view text, Builder& builder, Place& where,
                                   std::string& what);

enum class PlainResult : std::uint8_t { read, not_plain };

/// Reads a YAML stream with libyaml, if its syntax is so plain that yaml-cpp certainly reads it
/// alike, and it has no problems. not_plain: the builder is of no use.
[[nodiscard]] PlainResult read_plain_yaml(std::string_view text, Builder& builder);

/// Reads a YAML stream that holds one document into the builder, which gets every problem.
void read_yaml(std::string_view text, Builder& builder);

} // namespace sallyport::config::yaml
