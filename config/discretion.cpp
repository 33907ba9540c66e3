// What problems may repeat of the text around secrets: see discretion.h.
#include "config/discretion.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstddef>

namespace sallyport::config {

namespace {

// The names in these are the operator's own.
bool has_free_names(std::string_view key) {
    return key == "allow" || key == "deny" || key == "labels" || key == "roles";
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
        bool const is_index =
            end != std::string_view::npos
            && std::all_of(path.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                           path.begin() + static_cast<std::ptrdiff_t>(end), text::is_digit);
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

} // namespace

Discretion::Discretion(SectionInfo const& config, SectionInfo const& credentials,
                       Authenticators authenticators)
    // An upstream's credential, and its own kinds.
    : about_secrets_{"credential", "basic", "bearer"} {
    add_keys(config);
    add_keys(credentials);
    list_of_known_keys_.assign(known_keys_.begin(), known_keys_.end());
    for (Authenticator const* const one : authenticators) {
        if (one->api || one->identity) about_secrets_.insert(one->name);
        if (one->identity && one->identity->secrets)
            about_secrets_.insert(one->identity->secrets->key);
    }
}

void Discretion::add_keys(SectionInfo const& section) {
    for (KeyInfo const& key : section.keys) {
        known_keys_.insert(key.name);
        if (key.shape.kind == ShapeKind::secret) about_secrets_.insert(key.name);
        add_keys(key.shape);
    }
}

void Discretion::add_keys(Shape const& shape) {
    if (shape.section != nullptr) add_keys(*shape.section);
    for (Shape const& element : shape.elements)
        add_keys(element);
}

bool Discretion::is_shown(std::string_view key, Where where) const {
    if (where == Where::elsewhere || known_keys_.contains(key)) return true;
    return where == Where::near_secrets && nearest(key, list_of_known_keys_).has_value();
}

// Cuts the path where a name begins that may be a secret.
Discretion::Where Discretion::cut(std::string& path, Where where) const {
    // The middle of a long one was left out: of what follows nothing is known.
    if (auto const gap = path.find(" ... "); gap != std::string::npos) path.resize(gap);
    bool is_free = false;
    for (std::size_t at = 0; at < path.size();) {
        Step const step = step_at(path, at);
        if (!step.is_index && !is_free && !is_shown(step.key, where)) {
            path.resize(at);
            return where;
        }
        is_free = step.is_index ? is_free : has_free_names(step.key); // deny[0].NAME
        if (about_secrets_.contains(step.key)) where = Where::at_secrets;
        at = step.end;
    }
    return where;
}

void Discretion::hide(yaml::Problems& problems, Where begin) const {
    constexpr std::string_view with_key = "write it in quotes";
    for (yaml::Problem& problem : problems) {
        if (cut(problem.path, begin) == Where::elsewhere) continue;
        // Of a key that is no text the hint repeats it.
        if (problem.hint.starts_with(with_key)) problem.hint = with_key;
    }
}

void Discretion::hide_in_config(yaml::Problems& problems) const {
    hide(problems, Where::elsewhere);
}

void Discretion::hide_in_credentials(yaml::Problems& problems) const {
    hide(problems, Where::near_secrets);
}

} // namespace sallyport::config
