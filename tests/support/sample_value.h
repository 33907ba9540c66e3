// Values that satisfy the schemas of an OpenAPI document, for tests that call every operation of
// it.
#pragma once

#include "tests/support/json.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::test {

/// One operation of a document, with a valid request.
struct SampleOperation {
    std::string id;
    std::string method;
    Json const* operation = nullptr;
    std::vector<Json const*> parameters; // of the path and of the operation, resolved
    std::string path;                    // the template
};

/// Must not outlive the document.
class Samples {
public:
    explicit Samples(Json const& document) : document_{document} {}

    [[nodiscard]] std::vector<SampleOperation> operations() const;
    /// Path and query, with all required parameters.
    [[nodiscard]] std::string target(SampleOperation const& operation) const;
    /// JSON; empty: the operation takes none. `choice` selects the form of each oneOf and anyOf.
    [[nodiscard]] std::string request_body(SampleOperation const& operation,
                                           std::size_t choice) const;
    /// Of its first 2xx response.
    [[nodiscard]] int status(SampleOperation const& operation) const;
    [[nodiscard]] std::string response_type(SampleOperation const& operation) const;
    /// Empty if that type is not JSON.
    [[nodiscard]] std::string response_body(SampleOperation const& operation,
                                            std::size_t choice) const;

    enum class Side : bool { request, response };
    /// Only required members. For an unusual schema: any value.
    [[nodiscard]] std::string value(Json const& schema, Side side, std::size_t choice,
                                    std::size_t depth = 0) const;

private:
    struct Merged; // a schema with all that its allOf, oneOf and anyOf add
    void merge(Merged& into, Json const& schema, std::size_t choice, std::size_t depth) const;
    [[nodiscard]] Json const& resolved(Json const& node) const;
    [[nodiscard]] std::string object_of(Merged const& schema, Side side, std::size_t choice,
                                        std::size_t depth) const;

    Json const& document_;
};

} // namespace sallyport::test
