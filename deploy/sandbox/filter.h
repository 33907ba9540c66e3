// The `where` of a chart series: a Lucene-like expression, turned into a condition of SQL.
#pragma once

#include "deploy/sandbox/database.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::sandbox {

/// SQL text made of constants of this program, and the values for its `?` in order.
struct Sql {
    std::string text;
    std::vector<Value> values;

    void add(std::string_view more) { text += more; }
    void add(std::string_view more, Value value) {
        text += more;
        values.push_back(std::move(value));
    }
    void add(Sql const& more) {
        text += more.text;
        values.insert(values.end(), more.values.begin(), more.values.end());
    }
};

struct FilterProblem {
    std::string text;
};

/// Its syntax:
///   word  "some words"       in the message, case-insensitive
///   field:word               in the field, case-insensitive; a number is compared exactly
///   field:"text"             equal to the field
///   field:*                  the field is present
///   field:>1  >=  <  <=      numbers
///   field:[1 TO 5]           numbers, both ends included
///   a b  a AND b  a OR b  NOT a  -a  (a)      AND binds closer than OR
/// An empty expression matches every point. `*` at the ends of a word has no effect.
std::variant<Sql, FilterProblem> compile_filter(std::string_view expression);

} // namespace sallyport::sandbox
