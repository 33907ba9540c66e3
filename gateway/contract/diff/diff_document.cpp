// Finds the operations of a document that is compared with another.
#include "gateway/contract/diff/diff_document.h"

#include "gateway/contract/openapi/load.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::size_t max_reference_steps = 16;

// The keys of a path, each the method of an operation.
[[nodiscard]] std::string method_of(std::string_view key) {
    constexpr std::array known{std::string_view{"get"},     std::string_view{"put"},
                               std::string_view{"post"},    std::string_view{"delete"},
                               std::string_view{"head"},    std::string_view{"patch"},
                               std::string_view{"options"}, std::string_view{"query"}};
    if (std::find(known.begin(), known.end(), key) == known.end()) return {};
    std::string method{key};
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    return method;
}

} // namespace

SchemaView followed(SchemaView view) {
    for (std::size_t i = 0; i < max_reference_steps && view.node != nullptr; ++i) {
        SchemaView next = view.target();
        if (next.node == nullptr) break;
        view = std::move(next);
    }
    return view;
}

bool ParameterView::is_required() const {
    yaml::Node const* const flag = view.find("required");
    return flag != nullptr && flag->as_boolean();
}

std::string OperationView::key() const {
    std::string key = operation->method + ' ';
    bool is_name = false;
    for (char const c : operation->path) {
        if (c == '}') is_name = false;
        if (!is_name) key += c;
        if (c == '{') is_name = true;
    }
    return key;
}

DiffDocument::DiffDocument(yaml::Document document, std::shared_ptr<Contract const> contract,
                           LoadOptions const& options)
    : document_{std::move(document)}, contract_{std::move(contract)}, problems_{
                                                                          options.unsupported} {
    yaml::Node const& root = document_.root();
    yaml::Node const* const version = root.find("openapi");
    bool const is_3_0 = version != nullptr && version->text().starts_with("3.0");
    yaml::Node const* const named = root.find("jsonSchemaDialect");
    bool const is_known = named == nullptr || is_standard_dialect(named->text());
    documents_ = std::make_unique<Documents>(root,
                                             is_3_0     ? dialect::openapi_3_0
                                             : is_known ? dialect::contract
                                                        : vocabulary::unknown,
                                             options.schema_folders, options.folder, problems_);
    if (!contract_->schema()) read_operations();
}

SchemaView DiffDocument::root() {
    return {&document_.root(), &documents_->main(), documents_.get(), {}};
}

void DiffDocument::read_operations() {
    SchemaView const paths = root().child("paths");
    if (paths.node != nullptr) {
        for (auto const& entry : paths.node->entries()) {
            if (entry.key.starts_with("x-")) continue;
            SchemaView const item = followed(root().child("paths", entry.key));
            is_whole_ = is_whole_ && read_path(item, entry.key);
        }
    }
    is_whole_ = is_whole_ && next_ == contract_->operations().size();
}

// The contract has the operations in the order of the paths; those of a path in an order of its
// own.
bool DiffDocument::read_path(SchemaView const& item, std::string const& key) {
    auto const& all = contract_->operations();
    auto const shared = read_parameters(item);
    std::size_t count = 0;
    std::vector<OperationView> found;
    for (auto const& entry : item.node->entries()) {
        std::string const method = method_of(entry.key);
        if (method.empty() || !entry.value.is_mapping()) continue;
        OperationView one;
        one.view = item.child(entry.key);
        one.parameters = read_parameters(one.view);
        for (auto const& other : shared) {
            auto const is_same = [&other](ParameterView const& own) {
                return own.name == other.name && own.place == other.place;
            };
            if (std::none_of(one.parameters.begin(), one.parameters.end(), is_same))
                one.parameters.push_back(other);
        }
        for (std::size_t i = next_; i < all.size() && one.operation == nullptr; ++i) {
            if (all[i].method == method && all[i].path.ends_with(key)) one.operation = &all[i];
        }
        if (one.operation == nullptr) return false;
        one.path_names = one.operation->parameter_names;
        found.push_back(std::move(one));
        ++count;
    }
    for (auto& one : found) {
        bool const is_here = one.operation->index < next_ + count;
        if (!is_here) return false;
        operations_.push_back(std::move(one));
    }
    next_ += count;
    return true;
}

std::vector<ParameterView> DiffDocument::read_parameters(SchemaView const& holder) const {
    std::vector<ParameterView> parameters;
    yaml::Node const* const list = holder.find("parameters");
    for (std::size_t i = 0; list != nullptr && i < list->items().size(); ++i) {
        ParameterView one;
        one.view = followed(holder.child("parameters", i));
        yaml::Node const* const name = one.view.find("name");
        yaml::Node const* const place = one.view.find("in");
        if (name == nullptr || place == nullptr) continue;
        // RFC 9110, 5.1: names of header fields are case-insensitive.
        one.name = place->text() == "header" ? in_lower_case(name->text()) : name->text();
        one.place = place->text();
        parameters.push_back(std::move(one));
    }
    return parameters;
}

} // namespace sallyport::contract
