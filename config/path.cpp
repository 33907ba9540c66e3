// Writes paths: see path.h.
#include "config/path.h"

#include "config/yaml.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace sallyport::config {

namespace {

constexpr std::uint32_t key_bit = 0x8000'0000;

// The names of all tables of the process. Threads may make some of them when they first need them.
class KeyNames {
public:
    std::uint32_t number_of(std::string_view name) {
        std::lock_guard const lock{mutex_};
        auto const known = std::find(names_.begin(), names_.end(), name);
        auto const number = static_cast<std::uint32_t>(known - names_.begin());
        if (known == names_.end()) names_.emplace_back(name);
        return number;
    }

    std::string_view text_of(std::uint32_t number) {
        std::lock_guard const lock{mutex_};
        return names_[number];
    }

private:
    std::mutex mutex_;
    std::deque<std::string> names_; // which stay where they are
};

KeyNames& key_names() {
    static KeyNames names;
    return names;
}

} // namespace

KeyName KeyName::of(std::string_view name) {
    return KeyName{key_names().number_of(name)};
}

std::string_view KeyName::text() const {
    return key_names().text_of(number_);
}

std::string Path::text() const {
    std::string out;
    constexpr std::size_t usual = 48;
    out.reserve(usual);
    if (start_ != nullptr) out = *start_;
    for (std::size_t i = 0; i < count_; ++i) {
        Step const& step = steps_[i];
        switch (step.kind) {
        case Kind::position: yaml::append_index(out, step.number); break;
        case Kind::name: yaml::append_key(out, {step.name, step.number}); break;
        case Kind::key: yaml::append_key(out, KeyName{step.number}.text()); break;
        }
    }
    return out;
}

Path Path::with_one_more(Step step) const {
    return Path{text()}.with(step);
}

LastingPath::LastingPath(Path const& path) {
    auto const begin = path.steps_.begin();
    auto const end = begin + static_cast<std::ptrdiff_t>(path.count_);
    bool const is_short = path.count_ <= most_steps && path.start_ == nullptr
                          && std::all_of(begin, end, [](Path::Step const& step) {
                                 return step.kind != Path::Kind::name && step.number < key_bit;
                             });
    if (!is_short) {
        written_ = std::make_shared<std::string const>(path.text());
        return;
    }
    count_ = static_cast<std::uint32_t>(path.count_);
    std::transform(begin, end, steps_.begin(), [](Path::Step const& step) {
        return step.kind == Path::Kind::key ? step.number | key_bit : step.number;
    });
}

std::string LastingPath::text() const {
    if (written_ != nullptr) return *written_;
    std::string out;
    for (std::size_t i = 0; i < count_; ++i) {
        auto const step = steps_[i];
        if ((step & key_bit) != 0) {
            yaml::append_key(out, KeyName{step & ~key_bit}.text());
        } else {
            yaml::append_index(out, step);
        }
    }
    return out;
}

} // namespace sallyport::config
