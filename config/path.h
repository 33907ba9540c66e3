// The way to a value of a document, made of names and positions, and written as a text only where a
// problem or an Origin needs one: values are many, problems few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::config {

/// Refers to the names, which are of the document and of the tables: lives no longer than they do.
class Path {
public:
    Path() = default; // of the document itself
    /// What was written before.
    explicit Path(std::string start)
        : start_{std::make_shared<std::string const>(std::move(start))} {}

    [[nodiscard]] Path key(std::string_view name) const {
        return with({name.data(), static_cast<std::uint32_t>(name.size()), IsKey::yes});
    }
    [[nodiscard]] Path index(std::size_t position) const {
        return with({nullptr, static_cast<std::uint32_t>(position), IsKey::no});
    }

    /// `credentials[17].basic.secrets[0]`
    [[nodiscard]] std::string text() const;
    operator std::string() const { return text(); } // NOLINT(*-explicit-*): it is one

private:
    enum class IsKey : bool { no, yes };
    struct Step {
        char const* name = nullptr;
        std::uint32_t size_or_index = 0; // documents are smaller than 4 GiB
        IsKey is_key = IsKey::no;
    };
    static constexpr std::size_t most_steps = 8; // more are written down

    [[nodiscard]] Path with(Step step) const;

    std::array<Step, most_steps> steps_{};
    std::size_t count_ = 0;
    std::shared_ptr<std::string const> start_; // null: empty
};

} // namespace sallyport::config
