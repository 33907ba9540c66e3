// The machinery of the tables that read the configuration: one row a key, with its shape, default
// and help.
//
// A Section<T> is a table that fills one struct. What can be known without reading (names, shapes,
// ranges, defaults) is plain data, SectionInfo, from which the reference in config/README.md is
// checked.
#pragma once

#include "config/reader.h"
#include "config/units.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

template <class T>
struct Key {
    KeyInfo info;
    std::function<void(Reader&, Value const&, T&)> read;

    [[nodiscard]] Key required(std::string_view example) && {
        info.presence = Presence::required;
        info.example = example;
        info.default_text.clear();
        return std::move(*this);
    }
    /// Refused where that other key is not there.
    [[nodiscard]] Key needing(std::string_view other, std::string_view because) && {
        info.needs = other;
        info.needed_because = because;
        return std::move(*this);
    }
};

template <class T>
class Section {
public:
    Section(std::string_view name, std::vector<Key<T>> keys, SectionRules rules = {})
        : keys_{std::move(keys)} {
        info_.name = name;
        info_.rules = std::move(rules);
        for (Key<T> const& key : keys_) {
            info_.keys.push_back(key.info);
            names_.push_back(KeyName::of(key.info.name));
        }
    }
    /// Shapes of other sections point to info().
    Section(Section const&) = delete;
    Section& operator=(Section const&) = delete;
    ~Section() = default;

    [[nodiscard]] SectionInfo const& info() const { return info_; }

    /// Reads what is there into `out`; everything else keeps its default.
    void read(Reader& reader, Value const& mapping, T& out) const {
        auto matched = reader.match_keys(mapping, info_);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (auto const* const entry = matched[i])
                keys_[i].read(reader, {&entry->value, mapping.path.key(names_[i])}, out);
        }
    }
    /// Reads the value of one of its keys, if it is one: for mappings that have keys of other kinds
    /// too.
    [[nodiscard]] bool read_key(Reader& reader, yaml::Entry const& entry, Path const& mapping,
                                T& out) const {
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (info_.keys[i].name != entry.key) continue;
            keys_[i].read(reader, {&entry.value, mapping.key(names_[i])}, out);
            return true;
        }
        return false;
    }

private:
    std::vector<Key<T>> keys_;
    std::vector<KeyName> names_; // theirs
    SectionInfo info_;
};

// --- rows of the usual kinds; `help` is one sentence for people, without its full stop

template <class T>
[[nodiscard]] Key<T> custom_key(KeyInfo info, std::function<void(Reader&, Value const&, T&)> read) {
    return {std::move(info), std::move(read)};
}

/// In the design, but not in this program: refused wherever it stands.
template <class T>
[[nodiscard]] Key<T> not_built_key(std::string_view name, std::string_view help) {
    KeyInfo info{name, ShapeKind::any, help};
    info.built = Built::not_yet;
    return {std::move(info), [](Reader&, Value const&, T&) {}};
}

template <class T>
Key<T> duration_key(std::string_view name, Duration T::*member, Duration minimum, Duration maximum,
                    std::string_view help) {
    KeyInfo info{name, Shape{ShapeKind::duration, minimum.count(), maximum.count()}, help,
                 format_duration(T{}.*member)};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_duration(value, minimum, maximum)) {
                    out.*member = *read;
                }
            }};
}

template <class T>
Key<T> size_key(std::string_view name, ByteCount T::*member, ByteCount minimum, ByteCount maximum,
                std::string_view help) {
    KeyInfo info{name,
                 Shape{ShapeKind::size, static_cast<std::int64_t>(minimum.bytes),
                       static_cast<std::int64_t>(maximum.bytes)},
                 help, format_size(T{}.*member)};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_size(value, minimum, maximum)) {
                    out.*member = *read;
                }
            }};
}

/// Without a value of its own something else decides, which `help` names.
template <class T>
Key<T> size_key(std::string_view name, std::optional<ByteCount> T::*member, ByteCount minimum,
                ByteCount maximum, std::string_view help) {
    KeyInfo info{name,
                 Shape{ShapeKind::size, static_cast<std::int64_t>(minimum.bytes),
                       static_cast<std::int64_t>(maximum.bytes)},
                 help};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_size(value, minimum, maximum)) {
                    out.*member = *read;
                }
            }};
}

template <class T>
Key<T> integer_key(std::string_view name, std::optional<std::uint32_t> T::*member,
                   std::uint32_t minimum, std::uint32_t maximum, std::string_view help) {
    KeyInfo info{name, Shape{ShapeKind::integer, minimum, maximum}, help};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_integer(value, minimum, maximum)) {
                    out.*member = static_cast<std::uint32_t>(*read);
                }
            }};
}

template <class T>
Key<T> integer_key(std::string_view name, std::uint32_t T::*member, std::uint32_t minimum,
                   std::uint32_t maximum, std::string_view help) {
    KeyInfo info{name, Shape{ShapeKind::integer, minimum, maximum}, help,
                 std::to_string(T{}.*member)};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_integer(value, minimum, maximum)) {
                    out.*member = static_cast<std::uint32_t>(*read);
                }
            }};
}

template <class T>
Key<T> boolean_key(std::string_view name, bool T::*member, std::string_view help) {
    KeyInfo info{name, ShapeKind::boolean, help, T{}.*member ? "true" : "false"};
    return {std::move(info), [=](Reader& reader, Value const& value, T& out) {
                if (auto const read = reader.read_boolean(value)) out.*member = *read;
            }};
}

/// A word of a closed list, and what it stands for; without a value it is not built yet.
template <class E>
struct Word {
    std::string_view text;
    std::optional<E> value;
    Company company = Company::allowed;
};

template <class E>
[[nodiscard]] std::vector<WordInfo> infos_of(std::vector<Word<E>> const& words) {
    std::vector<WordInfo> out;
    for (Word<E> const& word : words) {
        out.push_back({word.text, word.value ? Built::yes : Built::not_yet, word.company});
    }
    return out;
}

template <class E>
std::optional<E> read_word(Reader& reader, Value const& value, std::vector<Word<E>> const& words) {
    auto const index = reader.read_word(value, infos_of(words));
    return index ? words[*index].value : std::nullopt;
}

template <class T, class E>
Key<T> word_key(std::string_view name, E T::*member, std::vector<Word<E>> words,
                std::string_view help) {
    KeyInfo info{name, word_shape(infos_of(words)), help};
    for (Word<E> const& word : words) {
        if (word.value == T{}.*member) info.default_text = word.text;
    }
    return {std::move(info),
            [member, words = std::move(words)](Reader& reader, Value const& value, T& out) {
                if (auto const read = read_word(reader, value, words)) out.*member = *read;
            }};
}

template <class T, class M>
Key<T> section_key(std::string_view name, M T::*member, Section<M> const& section,
                   std::string_view help) {
    return {KeyInfo{name, section_shape(section.info()), help},
            [member, &section](Reader& reader, Value const& value, T& out) {
                section.read(reader, value, out.*member);
            }};
}

template <class T>
Key<T> file_key(std::string_view name, File T::*member, std::string_view help) {
    return {KeyInfo{name, file_shape(), help}, [=](Reader& reader, Value const& value, T& out) {
                if (auto read = reader.read_file(value)) out.*member = std::move(*read);
            }};
}

template <class T>
Key<T> file_key(std::string_view name, std::optional<File> T::*member, std::string_view help) {
    return {KeyInfo{name, file_shape(), help}, [=](Reader& reader, Value const& value, T& out) {
                if (auto read = reader.read_file(value)) out.*member = std::move(*read);
            }};
}

} // namespace sallyport::config
