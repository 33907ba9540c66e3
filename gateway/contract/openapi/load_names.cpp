// Names of operations: the operationId of the document, or one that is made.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] bool is_id_character(char c) noexcept {
    return text::is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

[[nodiscard]] bool is_id(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_id_character);
}

// The text with an underscore for each run of characters that no operationId has, and none at the
// ends: `v1_users_id` for "/v1/users/{id}".
[[nodiscard]] std::string in_id_characters(std::string_view text) {
    std::string name;
    bool is_between = false;
    for (char const c : text) {
        if (!is_id_character(c)) {
            is_between = true;
            continue;
        }
        if (is_between && !name.empty()) name += '_';
        is_between = false;
        name += c;
    }
    return name;
}

// The name of an operation without an operationId: `get_v1_users_id`.
[[nodiscard]] std::string name_for(Operation const& operation) {
    return in_id_characters(in_lower_case(operation.method) + ' ' + operation.path);
}

// FNV-1a of the method and the path: it depends on no other operation of the document.
[[nodiscard]] std::string distinction(Operation const& operation) {
    std::uint32_t hash = 2166136261U;
    for (char const c : operation.method + ' ' + operation.path) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    std::string digits;
    for (unsigned shift = 32; shift > 0; shift -= 4)
        digits += "0123456789abcdef"[(hash >> (shift - 4)) & 15U];
    return digits;
}

[[nodiscard]] std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + ' ' + std::string{count == 1 ? one : many};
}

} // namespace

// OpenAPI 3.1, 4.8.10: optional, unique, and any string. Configuration and logs name operations by
// it, in letters, digits, `_`, `-` and `.`; a name is made of any other, where there is none, and
// for the second operation of one name.
void Loader::read_operation_id(Operation& operation, Node const& node, std::string const& path) {
    Node const* const id = node.find("operationId");
    bool const has_id = id != nullptr && id->is_scalar() && !id->text().empty();
    if (id != nullptr && !has_id) {
        error(*id, yaml::join_key(path, "operationId"),
              "must be a name of letters, digits, _, - and .",
              "write one such as " + name_for(operation));
        return;
    }
    if (has_id) {
        auto const [known, is_new] = operation_ids_.emplace(id->text(), path);
        if (!is_new) {
            bool const is_same = known->second == path; // two paths refer to one path item
            made_names_.push_back(
                {name_for(operation), operation.index, id,
                 is_same ? "the same operation at another path, which refers to it" : known->second,
                 yaml::join_key(path, "operationId")});
            return;
        }
        if (is_id(id->text())) {
            operation.id = id->text();
            return;
        }
    }
    std::string name = has_id ? in_id_characters(id->text()) : std::string{};
    if (name.empty()) name = name_for(operation);
    made_names_.push_back({std::move(name), operation.index, has_id ? id : nullptr});
}

// Names are made when all written ones are known. If two operations would have one name, both get
// the distinction: `allow` and `rules` must never come to mean another operation because one was
// added to the document.
void Loader::make_names() {
    if (made_names_.empty()) return;
    std::map<std::string, std::size_t> uses;
    for (MadeName const& made : made_names_)
        ++uses[made.name];
    std::array<std::vector<std::string>, 2> examples; // without operationId, and with another
    Node const& paths = *document_.root().find("paths");
    for (MadeName const& made : made_names_) {
        Operation& operation = contract_->operations_[made.operation];
        operation.id = made.name;
        if (uses[made.name] > 1 || operation_ids_.count(made.name) != 0) {
            operation.id += '_' + distinction(operation);
        }
        if (made.first.empty()) {
            examples[made.written != nullptr ? 1 : 0].push_back(operation.id);
        } else {
            warn(*made.written, made.path,
                 config::in_quotes(made.written->text()) + " is also the name of " + made.first
                     + ": this operation is named " + operation.id,
                 "write another name");
        }
        auto const [known, is_new] =
            operation_ids_.emplace(operation.id, operation.method + ' ' + operation.path);
        if (is_new) continue;
        error(paths, "paths",
              "the name " + config::in_quotes(operation.id) + " would be made for "
                  + operation.method + ' ' + operation.path + ", and is also that of "
                  + known->second,
              "write an operationId");
    }
    if (auto const& made = examples[0]; !made.empty()) {
        warn(paths, "paths",
             count_of(made.size(), "operation has", "operations have")
                 + " no operationId, and a name of method and path, such as " + made.front(),
             "write an operationId for each: a made name changes with its path");
    }
    if (auto const& made = examples[1]; !made.empty()) {
        warn(paths, "paths",
             count_of(made.size(), "operationId has", "operationIds have")
                 + " other characters than letters, digits, _, - and ., and is written like "
                 + made.front(),
             "write that name in the configuration");
    }
}

} // namespace sallyport::contract
