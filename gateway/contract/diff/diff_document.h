// One of two documents that are compared: its operations with their nodes.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/diff/place_index.h"
#include "gateway/contract/diff/schema_view.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::contract {

class Loader;
struct OperationSource;

/// A parameter of an operation, or of its path.
struct ParameterView {
    SchemaView view; // of the Parameter Object
    std::string name;
    std::string place; // "query"
    [[nodiscard]] bool is_required() const;
};

/// An operation of a document. The objects of Swagger 2.0 are as version 3.0 has them.
struct OperationView {
    Operation const* operation = nullptr; // of the contract
    SchemaView view;                      // of the Operation Object
    SchemaView written;                   // the same as it is in the document
    std::vector<ParameterView> parameters;
    std::vector<std::pair<std::string, SchemaView>> responses; // by status
    std::vector<std::string> path_names; // the parameters of the path, in its order

    /// Equal for operations that take the same requests apart from their parameters.
    [[nodiscard]] std::string key() const;
    /// The pointer of its entry for a status.
    [[nodiscard]] std::string place_of_response(std::string const& status) const {
        return below(below(written.pointer, "responses"), status);
    }
};

/// A loaded document. Owns what the views refer to. The operations are those that the loader read,
/// wherever they are written.
class DiffDocument {
public:
    /// `loader`: that has loaded `contract`.
    DiffDocument(std::unique_ptr<Loader> loader, std::shared_ptr<Contract const> contract);
    ~DiffDocument();

    [[nodiscard]] Contract const& contract() const noexcept { return *contract_; }
    /// In the order of the contract.
    [[nodiscard]] std::vector<OperationView> const& operations() const noexcept {
        return operations_;
    }
    [[nodiscard]] SchemaView root();

private:
    using Pointers = std::unordered_map<config::yaml::Node const*, std::string>;
    [[nodiscard]] Pointers find_pointers() const;
    void read_operation(OperationSource const& source, Operation const& operation,
                        Pointers const& pointers);
    [[nodiscard]] SchemaView view_of(Target const& target, std::string guess,
                                     Pointers const& pointers);

    std::unique_ptr<Loader> loader_;
    std::shared_ptr<Contract const> contract_;
    std::optional<PlaceIndex> places_; // of Swagger 2.0
    std::vector<OperationView> operations_;
};

/// The view of an object with its `$ref` followed, through several if necessary.
[[nodiscard]] SchemaView followed(SchemaView view);

} // namespace sallyport::contract
