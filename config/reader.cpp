// Reads single values: see reader.h.
#include "config/reader.h"

#include "config/text.h"
#include "config/units.h"
#include "gateway/simd/blocks.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

namespace sallyport::config {

namespace {

using text::is_control;
using text::is_letter_or_digit;

// Of texts that are hashes, for the most part.
bool has_control(std::string_view text) {
    constexpr signed char del = 0x7f;
    std::size_t at = 0;
    for (; at + sizeof(simd::Block) <= text.size(); at += sizeof(simd::Block)) {
        auto const block = simd::load_block(text.data() + at);
        auto const controls = ((block >= 0) & (block < 0x20)) | (block == del);
        if (simd::mask_of(controls) != 0) return true;
    }
    return std::any_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                       [](char c) { return is_control(c); });
}

bool has_reference(yaml::Node const& node) {
    return node.is_string() && node.text().find("${") != std::string::npos;
}

// Most texts hold no reference.
bool is_text_itself(yaml::Node const& node) {
    return node.is_string() && !has_reference(node);
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
    Number out{};
    auto const end = text.data() + text.size();
    auto const result = std::from_chars(text.data(), end, out);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return out;
}

std::string format_number(double number) {
    std::string out = std::to_string(number);
    while (out.find('.') != std::string::npos && (out.back() == '0' || out.back() == '.')) {
        bool const was_point = out.back() == '.';
        out.pop_back();
        if (was_point) break;
    }
    return out;
}

std::vector<std::string_view> names_of(SectionInfo const& section) {
    std::vector<std::string_view> out;
    for (KeyInfo const& key : section.keys) {
        if (key.built == Built::yes) out.push_back(key.name);
    }
    return out;
}

// `neither a nor b`, `none of a, b or c`, `no a`.
std::string none_of(std::vector<std::string_view> const& keys) {
    std::string out{keys.size() == 2 ? "neither " : keys.size() > 2 ? "none of " : "no "};
    if (keys.size() != 2) return out + list_of(keys);
    return out.append(keys[0]).append(" nor ").append(keys[1]);
}

// `both a and b`, `a, b and c together`.
std::string all_of(std::vector<std::string_view> const& keys) {
    if (keys.size() == 2)
        return std::string{"both "}.append(keys[0]).append(" and ").append(keys[1]);
    std::string out;
    for (std::size_t i = 0; i < keys.size(); ++i)
        out.append(i == 0 ? "" : i + 1 == keys.size() ? " and " : ", ").append(keys[i]);
    return out + " together";
}

} // namespace

std::string const& Folders::of(yaml::Mark const& mark) const {
    auto const other = of_others.find(mark.file);
    return other == of_others.end() ? folder : other->second;
}

std::string Reader::shown(Value const& value) {
    if (has_reference(*value.node)) return "the value of " + in_quotes(value.node->text());
    return value.node->is_string() ? in_quotes(value.node->text()) : value.node->text();
}

Value Reader::child(Value const& mapping, std::string_view key) {
    return {mapping.node->find(key), mapping.path.key(key)};
}

void Reader::refuse(Value const& value, std::string what, std::string hint) {
    refuse(origin_of(value), std::move(what), std::move(hint));
}

void Reader::refuse(Origin const& origin, std::string what, std::string hint) {
    problems_.push_back(problem_at(origin, std::move(what), std::move(hint)));
}

void Reader::warn(Value const& value, std::string what, std::string hint) {
    warn(origin_of(value), std::move(what), std::move(hint));
}

void Reader::warn(Origin const& origin, std::string what, std::string hint) {
    problems_.push_back(
        problem_at(origin, std::move(what), std::move(hint), yaml::Severity::warning));
}

void Reader::refuse_type(Value const& value, std::string_view wanted, std::string hint) {
    refuse(value,
           "must be " + std::string{wanted} + ", not "
               + std::string{yaml::name_of(value.node->kind())},
           std::move(hint));
}

yaml::Problems Reader::take_problems() {
    yaml::sort_by_place(problems_);
    return std::exchange(problems_, {});
}

bool Reader::has_left_open(std::string_view path) const {
    return std::any_of(left_open_.begin(), left_open_.end(), [path](LeftOpen const& one) {
        std::string_view const at = one.origin.path;
        return at.substr(0, path.size()) == path
               && (at.size() == path.size() || at[path.size()] == '.' || at[path.size()] == '[');
    });
}

void Reader::add_problems(yaml::Problems const& problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
}

std::optional<Expanded> Reader::expand_scalar(Value const& value, std::string_view wanted,
                                              std::string const& hint) {
    if (!value.node->is_scalar() || value.node->is_null()) {
        refuse_type(value, wanted, hint);
        return std::nullopt;
    }
    if (!value.node->is_string()) return Expanded{value.node->text(), false, {}, {}, {}, {}};
    Expanded out = expand(value.node->text(), folders_.of(value.node->mark()), resolver_);
    if (out.problem.empty() && !out.left_open.empty()) {
        left_open_.push_back({origin_of(value), std::move(out.left_open)});
        wipe(out.text);
        return std::nullopt;
    }
    last_files_ = std::move(out.files);
    if (out.problem.empty()) return out;
    refuse(value, std::move(out.problem), std::move(out.hint));
    wipe(out.text);
    return std::nullopt;
}

std::optional<std::string> Reader::read_text(Value const& value) {
    if (value.node->is_scalar() && !value.node->is_null() && !value.node->is_string()) {
        refuse_type(value, "a string", "put it in quotes");
        return std::nullopt;
    }
    if (is_text_itself(*value.node)) {
        last_files_.clear();
        return value.node->text();
    }
    auto expanded = expand_scalar(value, "a string", "write a text");
    if (!expanded) return std::nullopt;
    return std::move(expanded->text);
}

bool Reader::check_line(Value const& value, std::string_view text, std::size_t longest) {
    if (text.empty()) {
        refuse(value, "is empty", "write a text");
    } else if (text.size() > longest) {
        refuse(value, "is longer than " + std::to_string(longest) + " bytes", "write less");
    } else if (has_control(text)) {
        // Other control characters are not named: the text may be a secret. No secret has this one.
        bool const has_nul = text.find('\0') != std::string_view::npos;
        refuse(value, "holds " + (has_nul ? name_of_control('\0') : "a control character"),
               "remove it");
    } else {
        return true;
    }
    return false;
}

std::optional<std::string> Reader::read_line(Value const& value, std::size_t longest) {
    auto text = read_text(value);
    if (text && !check_line(value, *text, longest)) text.reset();
    return text;
}

std::optional<std::string_view> Reader::view_line(Value const& value, std::size_t longest,
                                                  std::string& storage) {
    std::string_view text;
    if (is_text_itself(*value.node)) {
        last_files_.clear();
        text = value.node->text();
    } else {
        auto read = read_text(value);
        if (!read) return std::nullopt;
        storage = std::move(*read);
        text = storage;
    }
    if (!check_line(value, text, longest)) return std::nullopt;
    return text;
}

std::optional<std::vector<ValuePart>> Reader::read_template(Value const& value,
                                                            std::size_t longest) {
    if (!value.node->is_string()) {
        refuse_type(value, "a string",
                    value.node->is_scalar() ? "put it in quotes" : "write a text");
        return std::nullopt;
    }
    auto expanded = expand_value(value.node->text(), folders_.of(value.node->mark()), resolver_);
    if (expanded.problem.empty() && !expanded.left_open.empty()) {
        left_open_.push_back({origin_of(value), std::move(expanded.left_open)});
        return std::nullopt;
    }
    std::size_t size = 0;
    bool has_controls = false;
    for (ValuePart const& part : expanded.parts) {
        size += part.text.size();
        has_controls = has_controls || has_control(part.text);
    }
    if (!expanded.problem.empty()) {
        refuse(value, std::move(expanded.problem), std::move(expanded.hint));
    } else if (value.node->text().empty()) {
        refuse(value, "is empty", "write a text");
    } else if (std::max(size, value.node->text().size()) > longest) {
        refuse(value, "is longer than " + std::to_string(longest) + " bytes", "write less");
    } else if (has_controls) {
        refuse(value, "holds a control character", "remove it");
    } else {
        return std::move(expanded.parts);
    }
    return std::nullopt;
}

std::optional<Secret> Reader::read_secret(Value const& value) {
    auto text = read_line(value, static_cast<std::size_t>(longest_secret));
    if (!text) return std::nullopt;
    if (!has_reference(*value.node)) {
        warn(value, "a secret stands in the configuration",
             "write ${env:NAME} or ${file:/path} instead");
    }
    for (std::string& file : last_files_)
        secret_files_.push_back({std::move(file), origin_of(value)});
    last_files_.clear();
    Secret out{*text};
    wipe(*text);
    return out;
}

bool Reader::check_name(yaml::Mark const& mark, Path const& path, std::string_view name) {
    constexpr std::size_t longest = 64;
    bool const is_name = !name.empty() && name.size() <= longest && is_letter_or_digit(name[0])
                         && std::all_of(name.begin(), name.end(), [](char c) {
                                return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
                            });
    if (is_name) return true;
    problems_.push_back(
        {mark, path, "not a name",
         "write at most 64 letters, digits, '.', '_' or '-', a letter or digit first"});
    return false;
}

bool Reader::check_no_nul(yaml::Mark const& mark, Path const& path, std::string_view text) {
    if (text.find('\0') == std::string_view::npos) return true;
    refuse(Origin{mark, path}, "holds " + name_of_control('\0'), "remove it");
    return false;
}

std::optional<bool> Reader::read_boolean(Value const& value) {
    constexpr std::string_view hint = "write true or false";
    auto const expanded = expand_scalar(value, "true or false", std::string{hint});
    if (!expanded) return std::nullopt;
    // `yes` and `no` are strings in YAML 1.2, but people write them for true and false.
    if (expanded->text == "true" || expanded->text == "yes") return true;
    if (expanded->text == "false" || expanded->text == "no") return false;
    if (value.node->is_boolean()) return value.node->as_boolean(); // True, FALSE, ...
    refuse(value, shown(value) + " is neither true nor false", std::string{hint});
    return std::nullopt;
}

std::optional<std::int64_t> Reader::read_integer(Value const& value, std::int64_t minimum,
                                                 std::int64_t maximum) {
    std::string const hint =
        "write a number from " + std::to_string(minimum) + " to " + std::to_string(maximum);
    auto const expanded = expand_scalar(value, "an integer", hint);
    if (!expanded) return std::nullopt;
    std::optional<std::int64_t> number;
    if (value.node->is_integer()) number = value.node->as_integer();
    if (expanded->was_changed) number = parse_whole<std::int64_t>(expanded->text);
    if (!number) {
        refuse(value, shown(value) + " is not an integer", hint);
    } else if (*number < minimum || *number > maximum) {
        refuse(value, shown(value) + " is out of range", hint);
    } else {
        return number;
    }
    return std::nullopt;
}

std::optional<double> Reader::read_number(Value const& value, double minimum, double maximum) {
    std::string const hint =
        "write a number from " + format_number(minimum) + " to " + format_number(maximum);
    auto const expanded = expand_scalar(value, "a number", hint);
    if (!expanded) return std::nullopt;
    std::optional<double> number;
    if (value.node->is_number()) number = value.node->as_number();
    if (expanded->was_changed) number = parse_whole<double>(expanded->text);
    if (!number) {
        refuse(value, shown(value) + " is not a number", hint);
    } else if (!(*number >= minimum && *number <= maximum)) { // not a number is no range's member
        refuse(value, shown(value) + " is out of range", hint);
    } else {
        return number;
    }
    return std::nullopt;
}

std::optional<Duration> Reader::read_duration(Value const& value, Duration minimum,
                                              Duration maximum) {
    std::string const range = format_duration(minimum) + " to " + format_duration(maximum);
    std::string const hint = "write digits and ms, s, m or h, from " + range;
    auto const expanded = expand_scalar(value, "a duration", hint);
    if (!expanded) return std::nullopt;
    auto const duration = parse_duration(expanded->text);
    if (!duration) {
        refuse(value, shown(value) + " is not a duration", hint);
    } else if (*duration < minimum || *duration > maximum) {
        refuse(value, shown(value) + " is out of range", hint);
    } else {
        return duration;
    }
    return std::nullopt;
}

std::optional<ByteCount> Reader::read_size(Value const& value, ByteCount minimum,
                                           ByteCount maximum) {
    std::string const range = format_size(minimum) + " to " + format_size(maximum);
    std::string const hint = "write digits and B, KiB, MiB or GiB, from " + range;
    auto const expanded = expand_scalar(value, "a size", hint);
    if (!expanded) return std::nullopt;
    auto const size = parse_size(expanded->text);
    if (!size) {
        refuse(value, shown(value) + " is not a size", hint);
    } else if (*size < minimum || *size > maximum) {
        refuse(value, shown(value) + " is out of range", hint);
    } else {
        return size;
    }
    return std::nullopt;
}

std::optional<std::size_t> Reader::read_word(Value const& value,
                                             std::vector<WordInfo> const& words) {
    std::vector<std::string_view> built;
    for (WordInfo const& word : words) {
        if (word.built == Built::yes) built.push_back(word.text);
    }
    std::string const hint = "write " + list_of(built);
    auto const expanded = expand_scalar(value, list_of(built), hint);
    if (!expanded) return std::nullopt;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].text != expanded->text) continue;
        if (words[i].built == Built::yes) return i;
        refuse(value, in_quotes(words[i].text) + " is not built yet", hint);
        return std::nullopt;
    }
    // The suggestion would show what a reference stands for.
    auto const near = expanded->was_changed ? std::nullopt : nearest(expanded->text, built);
    refuse(value, shown(value) + " is not known here",
           near ? "did you mean " + in_quotes(*near) + '?' : hint);
    return std::nullopt;
}

std::optional<File> Reader::read_file(Value const& value) {
    auto const path = read_line(value, static_cast<std::size_t>(longest_file_name));
    if (!path) return std::nullopt;
    return File{resolve_path(*path, folders_.of(value.node->mark())), origin_of(value)};
}

void Reader::judge_empty(Value const& value, Empty empty) {
    if (empty == Empty::refused) refuse(value, "is empty", "write at least one");
    if (empty == Empty::told) warn(value, "is empty", "write at least one, if that is not meant");
}

Elements Reader::read_list(Value const& value, Empty empty) {
    if (empty == Empty::told && value.node->is_null()) {
        judge_empty(value, empty);
        return {};
    }
    if (!value.node->is_sequence()) {
        refuse_type(value, "a list", "put it in brackets: [...]");
        return {};
    }
    if (value.node->items().empty()) judge_empty(value, empty);
    return {value.node->items(), value.path};
}

NamedValues Reader::read_named(Value const& value, Empty empty) {
    if (!value.node->is_mapping()) {
        refuse_type(value, "a mapping", "write NAME: { ... }");
        return {};
    }
    if (value.node->entries().empty()) judge_empty(value, empty);
    return {value.node->entries(), value.path};
}

MatchedKeys Reader::match_keys(Value const& mapping, SectionInfo const& section) {
    MatchedKeys out{section.keys.size()};
    if (!mapping.node->is_mapping()) {
        refuse_type(mapping, "a mapping", "write some of " + list_of(names_of(section)));
        return out;
    }
    find_keys(mapping, section, out);
    bool const others_have_more = !section.rules.others_have.empty()
                                  && mapping.node->find(section.rules.others_have) != nullptr;
    for (std::size_t i = 0; i < section.keys.size(); ++i) {
        KeyInfo const& key = section.keys[i];
        yaml::Entry const* const entry = out[i];
        if (entry == nullptr) {
            if (key.presence == Presence::required && !others_have_more) {
                refuse(Origin{mapping.node->mark(), mapping.path.key(key.name)}, "is missing",
                       "write " + key.example);
            }
        } else if (key.built == Built::not_yet) {
            refuse(Origin{entry->mark, mapping.path.key(key.name)}, "is not built yet",
                   "remove it");
            out[i] = nullptr;
        }
    }
    return out;
}

// Most files have the keys in the order of the table: each is looked for behind the one before it.
void Reader::find_keys(Value const& mapping, SectionInfo const& section, MatchedKeys& out) {
    auto const& keys = section.keys;
    std::size_t next = 0;
    for (yaml::Entry const& entry : mapping.node->entries()) {
        std::size_t tried = 0;
        while (tried < keys.size() && keys[next].name != entry.key) {
            next = next + 1 == keys.size() ? 0 : next + 1;
            ++tried;
        }
        if (tried < keys.size()) {
            out[next] = &entry;
            continue;
        }
        refuse(Origin{entry.mark, mapping.path.key(entry.key)}, "unknown key",
               suggestion(entry.key, names_of(section)));
    }
}

bool Reader::check_choice(Origin const& origin, Value const& mapping, SectionRules const& rules) {
    if (!mapping.node->is_mapping()) return false;
    std::vector<std::string_view> found;
    std::copy_if(rules.one_of.begin(), rules.one_of.end(), std::back_inserter(found),
                 [&](std::string_view key) { return mapping.node->find(key) != nullptr; });
    if (found.size() == 1) return true;
    refuse(origin, found.empty() ? none_of(rules.one_of) : all_of(found),
           std::string{rules.choice});
    return false;
}

void Reader::check_needs(Value const& mapping, SectionInfo const& section) {
    for (KeyInfo const& key : section.keys) {
        yaml::Entry const* const entry = mapping.node->find_entry(key.name);
        if (key.needs.empty() || entry == nullptr || mapping.node->find(key.needs) != nullptr) {
            continue;
        }
        refuse(Origin{entry->mark, mapping.path.key(key.name)}, std::string{key.needed_because},
               "remove it");
    }
}

} // namespace sallyport::config
