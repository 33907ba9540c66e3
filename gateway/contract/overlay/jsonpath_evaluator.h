// The evaluation of JSONPath: internal to jsonpath*.cpp.
#pragma once

#include "gateway/contract/overlay/iregexp.h"
#include "gateway/contract/overlay/jsonpath.h"
#include "gateway/contract/patterns/pattern.h"

#include <map>
#include <memory>
#include <utility>

namespace sallyport::contract::jsonpath {

using config::yaml::Entry;
using config::yaml::Node;

/// A value of a filter (RFC 9535, 2.4.1: ValueType). Texts and nodes are owned by the document or
/// the query.
struct Value {
    enum class Kind : std::uint8_t { nothing, null, boolean, integer, number, string, container };

    Kind kind = Kind::nothing;
    bool boolean = false;
    std::int64_t integer = 0;
    double number = 0; // of an integer too
    std::string_view text;
    Node const* node = nullptr; // of a container

    [[nodiscard]] bool is_number() const noexcept {
        return kind == Kind::integer || kind == Kind::number;
    }
};

/// One evaluation of a query over a document. When the work is used up it stops, and its result is
/// of no use.
class Evaluator {
public:
    Evaluator(Node const& root, Work& work) : root_{root}, work_{work} {}

    [[nodiscard]] Selected select(Query const& query);

private:
    // A node, and its place in places_; inside filters places are not needed.
    struct Found {
        Node const* node = nullptr;
        std::uint32_t place = 0;
    };
    struct Place {
        std::uint32_t parent;
        std::uint32_t index; // among the children of the parent
    };
    static constexpr std::uint32_t root_place = UINT32_MAX;
    static constexpr std::uint32_t no_place = UINT32_MAX - 1;

    // jsonpath_select.cpp
    void run(Query const& query, Found start, std::vector<Found>& out);
    void descend(Segment const& segment, Found from, std::vector<Found>& out);
    void apply(Segment const& segment, Found from, std::vector<Found>& out);
    void apply(Selector const& selector, Found from, std::vector<Found>& out);
    void apply_slice(Selector const& selector, Found from, std::vector<Found>& out);
    [[nodiscard]] Found step(Found from, Node const& child, std::size_t index);
    [[nodiscard]] bool add(std::vector<Found>& out, Node const& child, std::size_t index,
                           Found from);
    [[nodiscard]] Location location_of(Found found) const;

    // jsonpath_values.cpp
    [[nodiscard]] bool holds(Expression const& expression, Node const& current);
    [[nodiscard]] bool compare(Expression const& expression, Node const& current);
    [[nodiscard]] std::vector<Found> nodes_of(Query const& query, Node const& current);
    [[nodiscard]] Value value_of(Expression const& expression, Node const& current);
    [[nodiscard]] Value result_of(Expression const& call, Node const& current);
    [[nodiscard]] bool matches(Expression const& call, Node const& current);
    [[nodiscard]] bool are_equal(Value const& left, Value const& right);
    [[nodiscard]] bool are_equal(Node const& left, Node const& right);
    [[nodiscard]] Pattern const* pattern_for(std::string_view text, Extent extent);

    Node const& root_;
    Work& work_;
    std::vector<Place> places_;
    // Null: not an I-Regexp.
    std::map<std::pair<std::string, Extent>, std::unique_ptr<Pattern const>> patterns_;
    std::string bad_pattern_;
    std::string pattern_error_;
    bool has_stopped_ = false;
};

} // namespace sallyport::contract::jsonpath
