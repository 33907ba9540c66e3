// JSON objects of tokens and key sets: see strict_json.h.
#include "gateway/jose/strict_json.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <vector>

namespace sallyport::jose {

namespace {

namespace dom = simdjson::dom;

// Whether every object has each name once, and there are at most `left` values. The parser has
// limited the depth.
bool is_strict(dom::element value, std::size_t& left) {
    if (left == 0) return false;
    --left;
    dom::array list;
    if (value.get_array().get(list) == simdjson::SUCCESS) {
        for (dom::element const element : list)
            if (!is_strict(element, left)) return false;
        return true;
    }
    dom::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return true;
    std::vector<std::string_view> names;
    for (auto const member : object) {
        if (!is_strict(member.value, left)) return false;
        names.push_back(member.key);
    }
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

} // namespace

void StrictJson::wipe() noexcept {
    OPENSSL_cleanse(padded_.data(), padded_.size());
    if (parser_.doc.string_buf != nullptr) OPENSSL_cleanse(parser_.doc.string_buf.get(), strings_);
}

std::optional<dom::object> StrictJson::read(std::string_view text, JsonLimits const& limits) {
    wipe();
    if (text.empty() || text.size() > limits.bytes) return std::nullopt;
    padded_.assign(text);
    padded_.append(simdjson::SIMDJSON_PADDING, '\0');
    bool const is_large_enough =
        parser_.capacity() >= text.size() && parser_.max_depth() == limits.depth;
    if (!is_large_enough) {
        if (parser_.allocate(limits.bytes, limits.depth) != simdjson::SUCCESS) return std::nullopt;
        // simdjson, dom/document-inl.h: a string takes its bytes, its length and a terminator.
        strings_ = 5 * limits.bytes / 3 + simdjson::SIMDJSON_PADDING;
        if (parser_.doc.allocate(limits.bytes) != simdjson::SUCCESS) return std::nullopt;
    }
    dom::element root;
    if (parser_.parse(padded_.data(), text.size(), false).get(root) != simdjson::SUCCESS)
        return std::nullopt;
    dom::object object;
    auto left = limits.values;
    if (root.get_object().get(object) != simdjson::SUCCESS || !is_strict(root, left))
        return std::nullopt;
    return object;
}

std::optional<std::string_view> text_member(dom::object object, std::string_view name) noexcept {
    std::string_view text;
    if (object.at_key(name).get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
    return text;
}

bool has_member(dom::object object, std::string_view name) noexcept {
    return object.at_key(name).error() == simdjson::SUCCESS;
}

} // namespace sallyport::jose
