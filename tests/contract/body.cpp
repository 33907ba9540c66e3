// See body.h.
#include "tests/contract/body.h"

#include <algorithm>

namespace sallyport::contract::test {

namespace {

// Splits "/a/b" into "a" and the rest "/b".
std::string_view next_segment(std::string_view& pointer) {
    pointer.remove_prefix(1);
    auto const segment = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(segment.size());
    return segment;
}

} // namespace

Body::Value* Body::Value::find(std::string_view name) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return nullptr;
    return &children[static_cast<std::size_t>(found - names.begin())];
}

void Body::set(std::string_view pointer, std::string value) {
    auto* at = &root_;
    while (!pointer.empty()) {
        auto const name = next_segment(pointer);
        auto* next = at->find(name);
        if (next == nullptr) {
            at->names.emplace_back(name);
            next = &at->children.emplace_back();
        }
        at = next;
    }
    *at = Value{std::move(value), {}, {}};
}

void Body::remove(std::string_view pointer) {
    auto* at = &root_;
    while (at != nullptr) {
        auto const name = next_segment(pointer);
        auto* const next = at->find(name);
        if (next != nullptr && pointer.empty()) {
            auto const index = next - at->children.data();
            at->names.erase(at->names.begin() + index);
            at->children.erase(at->children.begin() + index);
            return;
        }
        at = next;
    }
}

std::string Body::text() const {
    std::string out;
    root_.append_to(out);
    return out;
}

void Body::Value::append_to(std::string& out) const {
    if (children.empty()) {
        out += text;
        return;
    }
    bool const is_array = names.front() == "0";
    out += is_array ? '[' : '{';
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (index != 0) out += ',';
        if (!is_array) out += '"' + names[index] + "\":";
        children[index].append_to(out);
    }
    out += is_array ? ']' : '}';
}

} // namespace sallyport::contract::test
