// Changes the text of a file of credentials at the places of its values.
#include "gateway/commands/credentials_text.h"

#include "config/text.h"
#include "config/yaml_edit.h"
#include "gateway/commands/output.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace sallyport::commands {

namespace {

namespace yaml = config::yaml;
using yaml::Editor;
using yaml::Node;

constexpr std::string_view list_key = "credentials";
constexpr std::string_view by_hand = "its text is written in a way that is not changed here; "
                                     "change it by hand";

constexpr std::string_view no_list = "it has no list of credentials";

// A list of which nothing is written but its key, or its brackets.
bool is_empty_list(Node const& list) {
    return list.is_null() || (list.is_sequence() && list.items().empty());
}

// Documents are compared whatever the order of their keys.
void append_canonical(std::string& out, Node const& node) {
    if (node.is_mapping()) {
        std::vector<yaml::Entry const*> entries;
        for (auto const& entry : node.entries())
            entries.push_back(&entry);
        std::sort(entries.begin(), entries.end(),
                  [](auto const* left, auto const* right) { return left->key < right->key; });
        out += '{';
        for (auto const* const entry : entries) {
            out += json_string(entry->key);
            append_canonical(out, entry->value);
        }
        out += '}';
    } else if (node.is_sequence()) {
        out += '[';
        for (auto const& item : node.items())
            append_canonical(out, item);
        out += ']';
    } else {
        out += yaml::name_of(node.kind());
        out += json_string(node.text());
    }
}

std::string canonical(Node const& node) {
    std::string out;
    append_canonical(out, node);
    return out;
}

std::optional<std::size_t> position_of(Node const& mapping, std::string_view key) {
    auto const& entries = mapping.entries();
    auto const found = std::find_if(entries.begin(), entries.end(),
                                    [key](auto const& entry) { return entry.key == key; });
    if (found == entries.end()) return std::nullopt;
    return static_cast<std::size_t>(found - entries.begin());
}

std::optional<std::size_t> position_of_entry(Node const& list, std::string_view name) {
    auto const& items = list.items();
    auto const found = std::find_if(items.begin(), items.end(), [name](Node const& item) {
        auto const* const its_name = item.find("name");
        return its_name != nullptr && its_name->text() == name;
    });
    if (found == items.end()) return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

Node const* entry_of(yaml::Document const& document, std::string_view name) {
    auto const* const list = document.root().find(list_key);
    if (list == nullptr) return nullptr;
    auto const position = position_of_entry(*list, name);
    return position ? &list->items()[*position] : nullptr;
}

// Where a change of an entry would be made in the document.
Node& entry_in(Editor& editor, std::string_view name) {
    auto const list = position_of(editor.root(), list_key);
    auto& entries = Editor::child(editor.root(), list.value_or(0));
    return Editor::child(entries, position_of_entry(entries, name).value_or(0));
}

Node& digests_in(Editor& editor, std::string_view name, DigestsKey const& where) {
    auto& entry = entry_in(editor, name);
    auto& identity = Editor::child(entry, position_of(entry, where.authenticator).value_or(0));
    return Editor::child(identity, position_of(identity, where.key).value_or(0));
}

Node const* digests_of(Node const& entry, DigestsKey const& where) {
    auto const* const identity = entry.find(where.authenticator);
    return identity == nullptr ? nullptr : identity->find(where.key);
}

// Its size in bytes, quotes included; 0: it is not written as it is.
std::size_t size_of_literal(std::string_view text, std::string_view value) {
    bool const is_quoted = text.starts_with('"') || text.starts_with('\'');
    std::string written{value};
    if (is_quoted) written = text[0] + written + text[0];
    return text.starts_with(written) ? written.size() : 0;
}

bool is_content(std::string_view line) {
    auto const first = line.find_first_not_of(" \t\r");
    return first != std::string_view::npos && line[first] != '#';
}

struct Line {
    std::size_t begin = 0;
    std::size_t size = 0; // with its line end; 0: something else stands in front of the value
};

// The line of a value that begins there, if it stands alone in it, or behind a dash.
Line own_line(std::string_view text, std::size_t at) {
    auto const begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    auto const dash = text.substr(begin, at - begin).find_first_not_of(' ');
    bool const is_alone = dash == std::string_view::npos
                          || (text[begin + dash] == '-'
                              && text.substr(begin, at - begin).find_first_not_of(' ', dash + 1)
                                     == std::string_view::npos);
    auto const end = text.find('\n', at);
    if (!is_alone || end == std::string_view::npos) return {};
    return {begin, end + 1 - begin};
}

std::string spaces(std::size_t count) {
    return std::string(count, ' ');
}

template <class Quote>
std::string joined(std::vector<std::string> const& words, Quote const& quote) {
    std::string out;
    for (std::string const& word : words)
        out += (out.empty() ? "" : ", ") + quote(word);
    return out;
}

bool allows_all(NewEntry const& entry) {
    return entry.allow.size() == 1 && entry.allow.front() == "all";
}

// As one value that is JSON too. An entry that is written has `allow` or roles.
std::string in_flow(NewEntry const& entry) {
    std::string out = "{ \"name\": " + json_string(entry.name) + ", ";
    out += json_string(entry.where.authenticator) + ": { ";
    if (!entry.key_id_key.empty())
        out += json_string(entry.key_id_key) + ": " + json_string(entry.key_id) + ", ";
    out += json_string(entry.where.key) + ": [" + json_string(entry.digest) + "] }";
    if (!entry.roles.empty())
        out += ", \"roles\": [" + joined(entry.roles, json_string) + ']';
    if (entry.allow.empty()) return out + " }";
    out += ", \"allow\": ";
    bool const is_all = allows_all(entry);
    if (is_all && !entry.is_read_only) return out + "\"all\" }";
    out += "{ ";
    if (!is_all) out += "\"operations\": [" + joined(entry.allow, json_string) + ']';
    if (entry.is_read_only) out += std::string{is_all ? "" : ", "} + "\"read_only\": true";
    return out + " } }";
}

// With the line end of a file in place of each line feed.
std::string with_line_ends(std::string_view text, std::string_view line_end) {
    std::string out;
    for (char const c : text) {
        if (c == '\n')
            out += line_end;
        else
            out += c;
    }
    return out;
}

// `all`, `{ operations: ["a/*"] }`, or, where nothing was said, an entry that does not load before
// it is completed.
std::string allow_text(NewEntry const& entry) {
    if (entry.allow.empty()) {
        return "{} # to be completed: all, or { operations: [API/operationId, \"API/*\"] }";
    }
    bool const is_all = allows_all(entry);
    if (is_all) return entry.is_read_only ? "{ read_only: true }" : "all";
    return "{ operations: [" + joined(entry.allow, config::in_quotes) + ']'
           + (entry.is_read_only ? ", read_only: true }" : " }");
}

} // namespace

std::string entry_text(NewEntry const& entry, std::size_t indent) {
    auto const next = '\n' + spaces(indent + 2);
    std::string out = spaces(indent) + "- name: " + entry.name + next;
    out.append(entry.where.authenticator).append(": { ");
    if (!entry.key_id_key.empty())
        out.append(entry.key_id_key).append(": \"").append(entry.key_id).append("\", ");
    out.append(entry.where.key).append(": [\"").append(entry.digest).append("\"] }");
    if (!entry.roles.empty())
        out += next + "roles: [" + joined(entry.roles, config::in_quotes) + ']';
    if (!entry.allow.empty() || entry.roles.empty()) out += next + "allow: " + allow_text(entry);
    return out + '\n';
}

CredentialsText::CredentialsText(std::string path, std::string text)
    : path_{std::move(path)}, text_{std::move(text)}, document_{yaml::load_text(text_, path_)} {}

unsigned CredentialsText::line_of(std::string_view name) const {
    auto const* const entry = entry_of(document_, name);
    return entry == nullptr ? 0 : entry->mark().line;
}

std::size_t CredentialsText::offset_of(yaml::Mark const& mark) const {
    std::size_t at = 0;
    for (unsigned line = 1; line < mark.line && at < text_.size(); ++line)
        at = std::min(text_.find('\n', at), text_.size() - 1) + 1;
    // Columns count code points.
    for (unsigned column = 1; column < mark.column && at < text_.size(); ++column) {
        ++at;
        while (at < text_.size() && text::is_continuation(text_[at]))
            ++at;
    }
    return at;
}

// That of its first line.
std::string_view CredentialsText::line_end() const {
    auto const first = text_.find('\n');
    bool const has_return = first != std::string::npos && first > 0 && text_[first - 1] == '\r';
    return has_return ? "\r\n" : "\n";
}

// Behind the last line of the list, in front of comments that follow it.
std::size_t CredentialsText::end_of_list() const {
    auto const& entries = document_.root().entries();
    auto const list = position_of(document_.root(), list_key).value_or(0);
    std::size_t end = text_.size();
    if (list + 1 < entries.size()) {
        end = offset_of(entries[list + 1].mark);
        end = text_.rfind('\n', end) + 1;
    }
    while (end > 0) {
        auto const line_end = text_[end - 1] == '\n' ? end - 1 : end;
        auto const line = line_end == 0 ? 0 : text_.rfind('\n', line_end - 1) + 1;
        if (is_content(std::string_view{text_}.substr(line, line_end - line))) break;
        end = line;
    }
    return end;
}

std::string CredentialsText::apply(std::string changed, yaml::Document const& expected) {
    auto document = yaml::load_text(changed, path_);
    // Those that it had before are elsewhere.
    bool const is_right = document.is_whole()
                          && document.problems().size() == document_.problems().size()
                          && canonical(document.root()) == canonical(expected.root());
    if (!is_right) return std::string{by_hand};
    text_ = std::move(changed);
    document_ = std::move(document);
    return {};
}

bool CredentialsText::awaits_first_entry() const {
    auto const& root = document_.root();
    if (!document_.is_whole()) return false;
    if (root.is_null() || (root.is_mapping() && root.entries().empty())) return true;
    auto const* const list = root.find(list_key);
    return list != nullptr && is_empty_list(*list);
}

// Of a file without a document: empty, or with comments alone.
std::string CredentialsText::add_to_nothing(NewEntry const& entry) {
    auto const list = std::string{list_key} + ":\n" + entry_text(entry, 2);
    bool const is_open = !text_.empty() && !text_.ends_with('\n');
    return apply(text_ + with_line_ends((is_open ? "\n" : "") + list, line_end()),
                 yaml::load_text(list, "entry.yaml"));
}

// Below its key, or, in JSON and where comments stand between its brackets, into the brackets.
std::string CredentialsText::add_to_empty_list(NewEntry const& entry) {
    auto const& root = document_.root();
    auto const position = position_of(root, list_key).value_or(0);
    auto const& [key, mark, list] = root.entries()[position];
    auto changed = text_;
    auto at = offset_of(mark);
    bool is_block = text_.substr(offset_of(root.mark()), 1) != "{";
    if (list.is_sequence()) {
        at = offset_of(list.mark());
        auto const end = text_.find_first_not_of(' ', at + 1);
        is_block = is_block && end != std::string::npos && text_[end] == ']';
        if (is_block) {
            auto const begin = text_.find_last_not_of(' ', at - 1) + 1;
            changed.erase(begin, end + 1 - begin);
            at = begin;
        } else {
            changed.insert(at + 1, ' ' + in_flow(entry) + ' ');
        }
    }
    if (is_block) {
        auto const end = changed.find('\n', at);
        auto const text = with_line_ends(entry_text(entry, root.mark().column + 1), line_end());
        if (end == std::string::npos)
            changed.append(line_end()).append(text);
        else
            changed.insert(end + 1, text);
    }
    auto const added = yaml::load_text(entry_text(entry, 0), "entry.yaml");
    Editor editor{yaml::load_text(text_, path_)};
    Editor::replace(Editor::child(editor.root(), position), added.root());
    return apply(std::move(changed), std::move(editor).finish({}, yaml::Extent::whole));
}

// Of a file that has only roles, or what users of an htpasswd file may do; or `{}`.
std::string CredentialsText::add_list(NewEntry const& entry) {
    auto const& root = document_.root();
    if (!root.is_mapping()) return std::string{no_list};
    auto changed = text_;
    auto const begin = offset_of(root.mark());
    if (text_.substr(begin, 1) == "{") {
        auto const text = " \"credentials\": [ " + in_flow(entry) + " ]";
        changed.insert(begin + 1, text + (root.entries().empty() ? " " : ","));
    } else {
        auto text = spaces(root.mark().column - 1) + "credentials:\n"
                    + entry_text(entry, root.mark().column + 1);
        if (!text_.ends_with('\n')) text.insert(0, "\n");
        changed += with_line_ends(text, line_end());
    }
    auto const added = yaml::load_text(entry_text(entry, 0), "entry.yaml");
    Editor editor{yaml::load_text(text_, path_)};
    Editor::add(editor.root(), {std::string{list_key}, root.mark(), added.root()});
    return apply(std::move(changed), std::move(editor).finish({}, yaml::Extent::whole));
}

std::string CredentialsText::add(NewEntry const& entry) {
    if (document_.root().is_null()) return add_to_nothing(entry);
    auto const* const list = document_.root().find(list_key);
    if (list == nullptr) return add_list(entry);
    if (is_empty_list(*list)) return add_to_empty_list(entry);
    if (!list->is_sequence()) return std::string{no_list};
    auto const at = offset_of(list->mark());
    bool const is_block = text_.substr(at, 1) == "-";
    auto changed = text_;
    if (is_block) {
        auto const end = end_of_list();
        auto text = entry_text(entry, list->mark().column - 1);
        if (end > 0 && text_[end - 1] != '\n') text.insert(0, "\n");
        changed.insert(end, with_line_ends(text, line_end()));
    } else {
        changed.insert(offset_of(list->items().front().mark()),
                       with_line_ends(in_flow(entry) + ",\n", line_end()));
    }
    auto const added = yaml::load_text(entry_text(entry, 0), "entry.yaml");
    Editor editor{yaml::load_text(text_, path_)};
    auto& entries = Editor::child(editor.root(), position_of(editor.root(), list_key).value_or(0));
    if (added.root().items().size() != 1) return std::string{by_hand};
    if (is_block) {
        Editor::append(entries, added.root().items().front());
    } else {
        std::vector<Node> all{added.root().items().front()};
        all.insert(all.end(), entries.items().begin(), entries.items().end());
        Editor::replace(entries, Editor::list_of(entries.mark(), std::move(all)));
    }
    return apply(std::move(changed), std::move(editor).finish({}, yaml::Extent::whole));
}

std::string CredentialsText::disable(std::string_view name) {
    auto const* const entry = entry_of(document_, name);
    if (entry == nullptr) return "it has no entry of this name";
    constexpr std::string_view key = "disabled";
    auto changed = text_;
    Editor editor{yaml::load_text(text_, path_)};
    auto& expected = entry_in(editor, name);
    auto const flag = Editor::flag_of(entry->mark(), true);
    if (auto const position = position_of(*entry, key)) {
        auto const& value = entry->entries()[*position].value;
        if (value.is_boolean() && value.as_boolean()) return {};
        auto const size =
            size_of_literal(std::string_view{text_}.substr(offset_of(value.mark())), value.text());
        changed.replace(offset_of(value.mark()), size, "true");
        Editor::replace(Editor::child(expected, *position), flag);
    } else {
        auto const at = offset_of(entry->mark());
        bool const is_block = text_.substr(at, 1) != "{";
        if (is_block) {
            changed.insert(at, with_line_ends("disabled: true\n", line_end())
                                   + spaces(entry->mark().column - 1));
        } else {
            changed.insert(at + 1, " \"disabled\": true,");
        }
        Editor::add(expected, {std::string{key}, entry->mark(), flag});
    }
    return apply(std::move(changed), std::move(editor).finish({}, yaml::Extent::whole));
}

std::string CredentialsText::add_digest(std::string_view name, DigestsKey const& where,
                                        std::string_view digest) {
    auto const* const entry = entry_of(document_, name);
    auto const* const list = entry == nullptr ? nullptr : digests_of(*entry, where);
    if (list == nullptr || list->items().size() != 1) return "its entry has not one hash";
    auto const& first = list->items().front();
    auto const at = offset_of(first.mark());
    auto const size = size_of_literal(std::string_view{text_}.substr(at), first.text());
    if (size == 0) return std::string{by_hand};
    auto changed = text_;
    bool const is_block = text_.substr(offset_of(list->mark()), 1) == "-";
    if (is_block) {
        auto line = spaces(list->mark().column - 1) + "- " + json_string(digest) + '\n';
        auto const end = text_.find('\n', at);
        bool const is_last = end == std::string::npos;
        if (is_last) line.insert(0, "\n").pop_back();
        changed.insert(is_last ? text_.size() : end + 1, with_line_ends(line, line_end()));
    } else {
        changed.insert(at + size, ", " + json_string(digest));
    }
    Editor editor{yaml::load_text(text_, path_)};
    Editor::append(digests_in(editor, name, where),
                   Editor::text_of(list->mark(), std::string{digest}));
    return apply(std::move(changed), std::move(editor).finish({}, yaml::Extent::whole));
}

std::string CredentialsText::remove_first_digest(std::string_view name, DigestsKey const& where) {
    auto const* const entry = entry_of(document_, name);
    auto const* const list = entry == nullptr ? nullptr : digests_of(*entry, where);
    if (list == nullptr || list->items().size() != 2) return "its entry has not two hashes";
    auto const first = offset_of(list->items()[0].mark());
    auto const second = offset_of(list->items()[1].mark());
    auto const expected = [&] {
        Editor editor{yaml::load_text(text_, path_)};
        constexpr std::array<std::uint32_t, 1> position{0};
        Editor::remove(digests_in(editor, name, where), position);
        return std::move(editor).finish({}, yaml::Extent::whole);
    }();
    auto const line = own_line(text_, first);
    if (line.size != 0 && second >= line.begin + line.size) {
        auto changed = text_;
        changed.erase(line.begin, line.size);
        if (apply(std::move(changed), expected).empty()) return {};
    }
    auto changed = text_;
    changed.erase(first, second - first);
    return apply(std::move(changed), expected);
}

} // namespace sallyport::commands
