// `sallyport contract diff`: see contract_diff.h.
#include "gateway/commands/contract_diff.h"

#include "gateway/commands/output.h"
#include "gateway/contract/diff/diff.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

namespace sallyport::commands {

namespace {

namespace json = boost::json;
using contract::Change;
using contract::ChangeClass;
using contract::Changes;

std::string_view to_string(ChangeClass kind) {
    switch (kind) {
    case ChangeClass::stricter: return "stricter";
    case ChangeClass::looser: return "looser";
    case ChangeClass::neutral: break;
    }
    return "neutral";
}

std::size_t count_of(Changes const& changes, ChangeClass kind) {
    return static_cast<std::size_t>(
        std::count_if(changes.begin(), changes.end(),
                      [kind](Change const& change) { return change.kind == kind; }));
}

std::string summary(Changes const& changes) {
    if (changes.empty()) return "no changes";
    std::string text;
    for (auto const kind : {ChangeClass::stricter, ChangeClass::looser, ChangeClass::neutral}) {
        text += (text.empty() ? "" : ", ") + std::to_string(count_of(changes, kind)) + ' ';
        text += to_string(kind);
    }
    return text;
}

std::string operations(std::size_t count, std::string_view which) {
    return std::to_string(count) + ' ' + std::string{which}
           + (count == 1 ? "operation" : "operations");
}

std::string subject(Change const& change) {
    if (change.operation.empty()) return "all operations";
    std::string text = change.operation + " (" + change.method + ' ' + change.path + ')';
    if (!change.others.empty()) text += " and " + operations(change.others.size(), "other ");
    return text;
}

std::string what(Change const& change) {
    std::string text = change.is_of_response ? "response: " + change.what : change.what;
    if (!change.in_responses_of.empty())
        text += ", and in responses of " + operations(change.in_responses_of.size(), "");
    return change.is_undecided ? text + " (undecided)" : text;
}

void put_text(std::ostream& out, Changes const& changes) {
    for (auto const& change : changes) {
        std::string line{to_string(change.kind)};
        line.resize(std::string_view{"stricter  "}.size(), ' ');
        out << line << subject(change) << ": ";
        if (!change.where.empty()) out << change.where << ": ";
        out << what(change);
        if (!change.before.empty() || !change.after.empty()) {
            out << ": " << (change.before.empty() ? "nothing" : change.before) << " -> "
                << (change.after.empty() ? "nothing" : change.after);
        }
        out << '\n';
    }
    out << summary(changes) << '\n';
}

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

json::array names_of(std::vector<std::string> const& names) {
    json::array all;
    for (auto const& name : names)
        all.push_back(json::string{view(name)});
    return all;
}

json::value text_or_null(std::string const& text) {
    if (text.empty()) return nullptr;
    return json::string{view(text)};
}

void put_json(std::ostream& out, Changes const& changes) {
    json::array rows;
    for (auto const& change : changes) {
        rows.push_back(json::object{{"class", view(to_string(change.kind))},
                                    {"undecided", change.is_undecided},
                                    {"part", change.is_of_response ? "response" : "request"},
                                    {"operation", text_or_null(change.operation)},
                                    {"method", text_or_null(change.method)},
                                    {"path", text_or_null(change.path)},
                                    {"where", view(change.where)},
                                    {"what", view(change.what)},
                                    {"other_operations", names_of(change.others)},
                                    {"in_responses_of", names_of(change.in_responses_of)},
                                    {"old", text_or_null(change.before)},
                                    {"new", text_or_null(change.after)}});
    }
    json::object const page{{"stricter", count_of(changes, ChangeClass::stricter)},
                            {"looser", count_of(changes, ChangeClass::looser)},
                            {"neutral", count_of(changes, ChangeClass::neutral)},
                            {"changes", std::move(rows)}};
    out << json::serialize(page) << '\n';
}

// A text in a cell of a table: as code, in which only bars and backticks would be markup.
std::string cell(std::string const& text) {
    if (text.empty()) return {};
    std::string out = "`";
    for (char const c : text) {
        if (c == '|') out += '\\';
        out += c == '`' ? '\'' : c;
    }
    return out + '`';
}

void put_markdown(std::ostream& out, Changes const& changes) {
    out << summary(changes) << '\n';
    if (changes.empty()) return;
    out << "\n| class | operation | where | what | old | new |\n|---|---|---|---|---|---|\n";
    for (auto const& change : changes) {
        out << "| " << to_string(change.kind) << " | " << cell(subject(change)) << " | "
            << cell(change.where) << " | " << what(change) << " | " << cell(change.before) << " | "
            << cell(change.after) << " |\n";
    }
}

} // namespace

int run_contract_diff(ContractDiffOptions const& options, std::ostream& out, std::ostream& err) {
    auto const side = [&options](std::string const& file,
                                 std::vector<std::string> const& overlays) {
        return contract::DiffSide{
            file, {options.schema_folders, overlays, options.unsupported, {}, options.folder}};
    };
    auto const diff = contract::compare_documents(side(options.old_file, options.old_overlays),
                                                  side(options.new_file, options.new_overlays));
    if (!diff.is_compared) {
        print_problems(err, diff.problems);
        return 2;
    }
    switch (options.format) {
    case DiffFormat::text: put_text(out, diff.changes); break;
    case DiffFormat::json: put_json(out, diff.changes); break;
    case DiffFormat::markdown: put_markdown(out, diff.changes); break;
    }
    return count_of(diff.changes, ChangeClass::stricter) == 0 ? 0 : 1;
}

} // namespace sallyport::commands
