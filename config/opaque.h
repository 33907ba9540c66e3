// A value whose type only its owner has: what a plugin keeps in structs of other modules.
#pragma once

#include <memory>
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

} // namespace sallyport::config
