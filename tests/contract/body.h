// Builds JSON bodies from values at pointers, so that a case names the one member it is about and
// nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test {

/// Starts as `{}`. Values are JSON text and may be broken on purpose. Names hold neither `/` nor
/// `~`.
class Body {
public:
    /// Objects and arrays on the way are made; segments that are digits are array indices and come
    /// in order.
    void set(std::string_view pointer, std::string value);
    void remove(std::string_view pointer);
    [[nodiscard]] std::string text() const;

private:
    struct Value {
        std::string text = "{}"; // of a value that nothing was put into
        std::vector<std::string> names;
        std::vector<Value> children; // one for each name

        [[nodiscard]] Value* find(std::string_view name);
        void append_to(std::string& out) const;
    };

    Value root_;
};

} // namespace sallyport::contract::test
