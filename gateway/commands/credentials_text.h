// The text of a file of credentials, changed in place.
#pragma once

#include "config/yaml.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::commands {

/// Where an entry has the digests of its secrets: `secrets` of `basic`.
struct DigestsKey {
    std::string_view authenticator;
    std::string_view key;
};

/// An entry with a generated secret.
struct NewEntry {
    std::string name;
    DigestsKey where;
    std::string_view key_id_key; // `key_id`; empty: this kind is found by its secret
    std::string key_id;
    std::string digest;
    std::vector<std::string> allow; // `all`, or operations; empty: `roles`, or by hand
    std::vector<std::string> roles{};
    bool is_read_only = false; // of what `allow` names
};

/// Its lines, each behind so many spaces.
[[nodiscard]] std::string entry_text(NewEntry const& entry, std::size_t indent);

/// Comments, order and spelling of everything else stay. After each change the text is read again,
/// and has to be the same document but for this change. Each change returns why it could not be
/// made, and an empty text if it was.
class CredentialsText {
public:
    /// `path`: for its marks.
    CredentialsText(std::string path, std::string text);

    /// Whether it has the form of YAML, or JSON: else it must not be changed.
    [[nodiscard]] bool is_whole() const { return document_.is_whole(); }

    /// Whether it is a file before its first entry, which does not load: empty, with comments
    /// alone, or with an empty list.
    [[nodiscard]] bool awaits_first_entry() const;
    /// Behind the last entry; a file without a list of credentials gets one.
    [[nodiscard]] std::string add(NewEntry const& entry);
    /// `disabled: true`.
    [[nodiscard]] std::string disable(std::string_view name);
    /// A second digest, behind the first.
    [[nodiscard]] std::string add_digest(std::string_view name, DigestsKey const& where,
                                         std::string_view digest);
    /// The first of two; with the comment behind it, and no other one, if it has a line of its own.
    [[nodiscard]] std::string remove_first_digest(std::string_view name, DigestsKey const& where);

    [[nodiscard]] std::string const& text() const noexcept { return text_; }
    /// The line of an entry, from 1; 0: there is none.
    [[nodiscard]] unsigned line_of(std::string_view name) const;

private:
    [[nodiscard]] std::size_t offset_of(config::yaml::Mark const& mark) const;
    [[nodiscard]] std::size_t end_of_list() const;
    [[nodiscard]] std::string_view line_end() const;
    [[nodiscard]] std::string add_list(NewEntry const& entry);
    [[nodiscard]] std::string add_to_nothing(NewEntry const& entry);
    [[nodiscard]] std::string add_to_empty_list(NewEntry const& entry);
    [[nodiscard]] std::string apply(std::string changed, config::yaml::Document const& expected);

    std::string path_;
    std::string text_;
    config::yaml::Document document_;
};

} // namespace sallyport::commands
