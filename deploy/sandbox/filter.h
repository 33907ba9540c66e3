// The `where` of a chart series: a Lucene-like expression, turned into a condition of SQL.
#pragma once

#include "deploy/sandbox/database.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::sandbox {

// Text for SQLite, made of constants of this program, and the values for its `?` in their order.
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

// What it understands:
//   word  "some words"       in the message, in any letter case
//   field:word               in the field, in any letter case; a number is equal to it
//   field:"text"             equal to the field
//   field:*                  the field is there
//   field:>1  >=  <  <=      numbers
//   field:[1 TO 5]           numbers, both ends included
//   a b  a AND b  a OR b  NOT a  -a  (a)      AND binds closer than OR
// An empty expression holds for every point. `*` at the ends of a word says nothing more.
std::variant<Sql, FilterProblem> compile_filter(std::string_view expression);

} // namespace sallyport::sandbox
