// One of two documents that are compared: its operations with their nodes.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/diff/schema_view.h"
#include "gateway/contract/schema/problem_list.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract {

/// A parameter of an operation, or of its path.
struct ParameterView {
    SchemaView view; // of the Parameter Object
    std::string name;
    std::string place; // "query"
    [[nodiscard]] bool is_required() const;
};

/// An operation of a document.
struct OperationView {
    Operation const* operation = nullptr; // of the contract
    SchemaView view;                      // of the Operation Object
    std::vector<ParameterView> parameters;
    std::vector<std::string> path_names; // the parameters of the path, in its order

    /// Equal for operations that take the same requests apart from their parameters.
    [[nodiscard]] std::string key() const;
};

/// A loaded document. Owns what the views refer to.
class DiffDocument {
public:
    DiffDocument(config::yaml::Document document, std::shared_ptr<Contract const> contract,
                 LoadOptions const& options);

    [[nodiscard]] Contract const& contract() const noexcept { return *contract_; }
    /// In the order of the document; none if they could not be found (is_whole).
    [[nodiscard]] std::vector<OperationView> const& operations() const noexcept {
        return operations_;
    }
    /// Whether each operation of the contract was found in the document.
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
    [[nodiscard]] SchemaView root();

private:
    void read_operations();
    [[nodiscard]] bool read_path(SchemaView const& item, std::string const& key);
    [[nodiscard]] std::vector<ParameterView> read_parameters(SchemaView const& holder) const;

    config::yaml::Document document_;
    std::shared_ptr<Contract const> contract_;
    ProblemList problems_;
    std::unique_ptr<Documents> documents_;
    std::vector<OperationView> operations_;
    std::size_t next_ = 0; // operation of the contract
    bool is_whole_ = true;
};

/// The view of an object with its `$ref` followed, through several if necessary.
[[nodiscard]] SchemaView followed(SchemaView view);

} // namespace sallyport::contract
