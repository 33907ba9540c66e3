// The way to a value of a document, made of names and positions, and written as a text only where a
// problem needs one: values are many, problems few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::config {

/// The name of a key of the tables, as a number: they are few, and are kept until the process ends.
class KeyName {
public:
    /// The same for the same name.
    [[nodiscard]] static KeyName of(std::string_view name);
    [[nodiscard]] std::string_view text() const;

private:
    friend class Path;
    friend class LastingPath;
    explicit KeyName(std::uint32_t number) : number_{number} {}

    std::uint32_t number_;
};

/// Refers to the names, which are of the document and of the tables: lives no longer than they do.
class Path {
public:
    Path() = default; // of the document itself
    /// What was written before.
    explicit Path(std::string start)
        : start_{std::make_shared<std::string const>(std::move(start))} {}

    [[nodiscard]] Path key(std::string_view name) const {
        return with({name.data(), static_cast<std::uint32_t>(name.size()), Kind::name});
    }
    [[nodiscard]] Path key(KeyName name) const { return with({nullptr, name.number_, Kind::key}); }
    [[nodiscard]] Path index(std::size_t position) const {
        return with({nullptr, static_cast<std::uint32_t>(position), Kind::position});
    }

    /// `credentials[17].basic.secrets[0]`
    [[nodiscard]] std::string text() const;
    operator std::string() const { return text(); } // NOLINT(*-explicit-*): it is one

private:
    friend class LastingPath;
    enum class Kind : std::uint8_t { position, name, key };
    struct Step {
        char const* name = nullptr;
        std::uint32_t number = 0; // the position, the size of the name, or that of KeyName:
                                  // documents are smaller than 4 GiB
        Kind kind = Kind::position;
    };
    static constexpr std::size_t most_steps = 8; // more are written down

    [[nodiscard]] Path with(Step step) const {
        if (count_ == most_steps) return with_one_more(step);
        Path out{*this};
        out.steps_[out.count_++] = step;
        return out;
    }
    [[nodiscard]] Path with_one_more(Step step) const;

    std::array<Step, most_steps> steps_{};
    std::size_t count_ = 0;
    std::shared_ptr<std::string const> start_; // null: empty
};

/// A path that is kept, also when its document is gone: most are short, of positions and keys of
/// the tables, and need no memory of their own.
class LastingPath {
public:
    LastingPath() = default;
    LastingPath(Path const& path); // NOLINT(*-explicit-*): it is the same path
    LastingPath(std::string text)  // NOLINT(*-explicit-*)
        : written_{std::make_shared<std::string const>(std::move(text))} {}
    LastingPath(char const* text) : LastingPath{std::string{text}} {} // NOLINT(*-explicit-*)

    [[nodiscard]] std::string text() const;

private:
    static constexpr std::size_t most_steps = 5; // `credentials[17].allow.operations[0]`

    std::array<std::uint32_t, most_steps> steps_{}; // a position, or key_bit and a KeyName
    std::uint32_t count_ = 0;
    std::shared_ptr<std::string const> written_; // null: it is the steps
};

} // namespace sallyport::config
