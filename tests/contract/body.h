// Builds JSON bodies from values at pointers, so that a case contains only the property that it
// tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test {

/// Starts as `{}`. Values are JSON text and may be invalid on purpose. Names contain neither `/`
/// nor `~`.
class Body {
public:
    /// Creates the objects and arrays on the path; segments that are digits are array indices, in
    /// ascending order.
    void set(std::string_view pointer, std::string value);
    void remove(std::string_view pointer);
    [[nodiscard]] std::string text() const;

private:
    struct Value {
        std::string text = "{}"; // of a value without children
        std::vector<std::string> names;
        std::vector<Value> children; // one per name

        [[nodiscard]] Value* find(std::string_view name);
        void append_to(std::string& out) const;
    };

    Value root_;
};

} // namespace sallyport::contract::test
