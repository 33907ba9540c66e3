// What problems may repeat of the text around secrets: see discretion.h.
#include "config/discretion.h"

#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

namespace {

using Words = std::set<std::string_view>;

void add_keys(Words& words, Shape const& shape);

void add_keys(Words& words, SectionInfo const& section) {
    for (KeyInfo const& key : section.keys) {
        words.insert(key.name);
        add_keys(words, key.shape);
    }
}

void add_keys(Words& words, Shape const& shape) {
    if (shape.section != nullptr) add_keys(words, *shape.section);
    for (Shape const& element : shape.elements)
        add_keys(words, element);
}

Words const& known_keys() {
    static Words const words = [] {
        Words out;
        add_keys(out, config_section().info());
        add_keys(out, credentials_section().info());
        return out;
    }();
    return words;
}

// Below these all is about secrets, wherever they stand: one that is indented too little, too.
bool is_about_secrets(std::string_view key) {
    static Words const words{"credential", "basic", "bearer", "secret",
                             "secrets",    "token", "tokens"};
    return words.contains(key);
}

// The names in these are the operator's own.
bool has_free_names(std::string_view key) {
    return key == "allow" || key == "labels";
}

// One step of a path, as join_key() and join_index() write it.
struct Step {
    std::string_view key; // empty: an index, or a key that is no plain word
    bool is_index = false;
    std::size_t end = 0;
};

Step step_at(std::string_view path, std::size_t at) {
    if (path[at] == '[') {
        std::size_t const end = path.find(']', at);
        bool const is_index = end != std::string_view::npos
                              && std::all_of(path.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                             path.begin() + static_cast<std::ptrdiff_t>(end),
                                             [](char c) { return c >= '0' && c <= '9'; });
        if (is_index) return {{}, true, end + 1};
        // ["..."]: the quotes within are escaped.
        std::size_t i = at + 2;
        while (i < path.size() && path[i] != '"')
            i += path[i] == '\\' ? std::size_t{2} : std::size_t{1};
        return {{}, false, std::min(i + 2, path.size())};
    }
    std::size_t const begin = path[at] == '.' ? at + 1 : at;
    std::size_t const end = std::min(path.find_first_of(".[", begin), path.size());
    return {path.substr(begin, end - begin), false, end};
}

enum class Where : std::uint8_t {
    elsewhere,
    near_secrets, // what is next to a key of the tables is one with a mistake
    at_secrets,
};

bool is_shown(std::string_view key, Where where) {
    if (where == Where::elsewhere || known_keys().contains(key)) return true;
    static std::vector<std::string_view> const words{known_keys().begin(), known_keys().end()};
    return where == Where::near_secrets && nearest(key, words).has_value();
}

// Cuts the path where a name begins that may be a secret.
Where cut(std::string& path, Where where) {
    // The middle of a long one was left out: of what follows nothing is known.
    if (auto const gap = path.find(" ... "); gap != std::string::npos) path.resize(gap);
    bool is_free = false;
    for (std::size_t at = 0; at < path.size();) {
        Step const step = step_at(path, at);
        if (!step.is_index && !is_free && !is_shown(step.key, where)) {
            path.resize(at);
            return where;
        }
        is_free = has_free_names(step.key);
        if (is_about_secrets(step.key)) where = Where::at_secrets;
        at = step.end;
    }
    return where;
}

void hide(yaml::Problems& problems, Where begin) {
    constexpr std::string_view with_key = "write it in quotes";
    for (yaml::Problem& problem : problems) {
        if (cut(problem.path, begin) == Where::elsewhere) continue;
        // Of a key that is no text the hint repeats it.
        if (problem.hint.starts_with(with_key)) problem.hint = with_key;
    }
}

} // namespace

void hide_secrets_in_config(yaml::Problems& problems) {
    hide(problems, Where::elsewhere);
}

void hide_secrets_in_credentials(yaml::Problems& problems) {
    hide(problems, Where::near_secrets);
}

} // namespace sallyport::config
