// Reads what OpenAPI 3.2 has, and earlier versions have not: operations of any method, and the
// document's own URI.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// Those of a path item's own keys (OpenAPI 3.2, 4.9.1).
constexpr std::array fixed_methods{
    std::string_view{"GET"},     std::string_view{"PUT"},   std::string_view{"POST"},
    std::string_view{"DELETE"},  std::string_view{"HEAD"},  std::string_view{"PATCH"},
    std::string_view{"OPTIONS"}, std::string_view{"TRACE"}, std::string_view{"QUERY"},
};

constexpr std::size_t longest_method = 32; // as `methods` of an API

[[nodiscard]] bool is_fixed(std::string_view method) {
    return std::any_of(fixed_methods.begin(), fixed_methods.end(), [method](auto const& one) {
        return text::equals_ignoring_case(one, method);
    });
}

} // namespace

// OpenAPI 3.2, 4.9.1: keys are methods as they are sent. One that some servers may take for a fixed
// method, because they ignore letter case, would be another operation than theirs.
void Loader::list_additional_methods(Target const& others, Methods& found) {
    std::string const& at = others.path;
    if (!others.node->is_mapping())
        return error(*others.node, at, "must be a mapping of methods");
    for (yaml::Entry const& entry : others.node->entries()) {
        std::string const own = yaml::join_key(at, entry.key);
        if (entry.key.starts_with("x-")) {
            check_extension(entry, own, "additionalOperations");
        } else if (is_fixed(entry.key)) {
            problems_.add_at(entry.mark, own, "is a method with a key of its own",
                             "write it as " + in_lower_case(entry.key) + " of the path");
        } else if (text::equals_ignoring_case(entry.key, "CONNECT")) {
            problems_.add_at(entry.mark, own, "is never forwarded", "remove it");
        } else if (!is_token(in_lower_case(entry.key)) || entry.key.size() > longest_method) {
            problems_.add_at(entry.mark, own, "is not a method",
                             "write the method as it is sent: a token of at most "
                                 + std::to_string(longest_method) + " characters");
        } else {
            found.push_back({&entry.value, own, entry.key});
        }
    }
}

// OpenAPI 3.2, 4.1.1. What it changes is done by Documents.
void Loader::check_self(Node const& root) {
    Node const* const self = is_3_2_ ? root.find("$self") : nullptr;
    if (self == nullptr) return;
    bool const is_reference = self->is_string() && !self->text().empty()
                              && self->text().find_first_of(" #{}") == std::string::npos;
    if (is_reference) return;
    error(*self, "$self", "must be a URI reference without fragment",
          "write the URI of this document, or remove it");
}

} // namespace sallyport::contract
