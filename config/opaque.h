// A value whose type only its owner has: what a plugin keeps in structs of other modules.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

namespace sallyport::config {

/// Immutable; copies share it.
class Opaque {
public:
    Opaque() = default;

    template <class T>
    [[nodiscard]] static Opaque of(T value) {
        Opaque out;
        out.value_ = std::make_shared<T const>(std::move(value));
        out.type_ = &typeid(T);
        return out;
    }

    /// Null: there is no value, or it is of another type.
    template <class T>
    [[nodiscard]] T const* as() const {
        return *type_ == typeid(T) ? static_cast<T const*>(value_.get()) : nullptr;
    }

private:
    std::shared_ptr<void const> value_;
    std::type_info const* type_ = &typeid(void);
};

/// Values that outlive the configuration for which they were made: found again, by the text that
/// they were made from, as long as something uses them. Of one thread at a time.
class KeptValues {
public:
    /// The value of that text and type, or what `make` returns: a std::shared_ptr<T>.
    template <class T, class Make>
    [[nodiscard]] std::shared_ptr<T> find_or_make(std::string const& text, Make const& make) {
        std::erase_if(values_, [](auto const& one) { return one.second.value.expired(); });
        auto const found = values_.find(text);
        if (found != values_.end() && *found->second.type == typeid(T))
            return std::static_pointer_cast<T>(found->second.value.lock());
        std::shared_ptr<T> made = make();
        values_.insert_or_assign(text, Kept{made, &typeid(T)});
        return made;
    }

private:
    struct Kept {
        std::weak_ptr<void> value;
        std::type_info const* type;
    };
    std::map<std::string, Kept> values_;
};

} // namespace sallyport::config
