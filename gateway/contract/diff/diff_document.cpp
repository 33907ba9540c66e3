// The operations of a document that is compared with another, as the loader read them.
#include "gateway/contract/diff/diff_document.h"

#include "gateway/contract/openapi/load.h"
#include "gateway/contract/schema/constants.h"

#include <utility>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::size_t max_reference_steps = 16;

// The pointers of those nodes below a node that are wanted: they have none yet.
void add_pointers(yaml::Node const& node, std::string& pointer,
                  std::unordered_map<yaml::Node const*, std::string>& wanted) {
    if (auto const found = wanted.find(&node); found != wanted.end()) found->second = pointer;
    std::size_t const length = pointer.size();
    auto const descend = [&](yaml::Node const& child, std::string const& token) {
        if (child.is_scalar()) return;
        pointer += '/' + escape_token(token);
        add_pointers(child, pointer, wanted);
        pointer.resize(length);
    };
    for (auto const& entry : node.entries())
        descend(entry.value, entry.key);
    for (std::size_t i = 0; i < node.items().size(); ++i)
        descend(node.items()[i], std::to_string(i));
}

[[nodiscard]] std::string text_at(SchemaView const& view, std::string_view key) {
    yaml::Node const* const value = view.find(key);
    return value != nullptr ? value->text() : std::string{};
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
    return flag != nullptr && is_set(*flag);
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

DiffDocument::DiffDocument(std::unique_ptr<Loader> loader, std::shared_ptr<Contract const> contract)
    : loader_{std::move(loader)}, contract_{std::move(contract)} {
    if ((loader_->documents().main().vocabularies & vocabulary::swagger) != 0) {
        places_.emplace(loader_->document().root());
    }
    auto const& sources = loader_->sources();
    Pointers const pointers = find_pointers();
    for (std::size_t i = 0; i < sources.size(); ++i)
        read_operation(sources[i], contract_->operations()[i], pointers);
}

DiffDocument::~DiffDocument() = default;

SchemaView DiffDocument::root() {
    return {&loader_->document().root(),
            &loader_->documents().main(),
            &loader_->documents(),
            {},
            places_ ? &*places_ : nullptr};
}

// Of what the loader read of operations. What is in other files has none.
DiffDocument::Pointers DiffDocument::find_pointers() const {
    Pointers pointers;
    for (auto const& source : loader_->sources()) {
        pointers.emplace(source.written, std::string{});
        for (auto const& one : source.parameters)
            pointers.emplace(one.node, std::string{});
        for (auto const& one : source.responses)
            pointers.emplace(one.second.node, std::string{});
    }
    std::string pointer;
    add_pointers(loader_->document().root(), pointer, pointers);
    return pointers;
}

// `guess`: the pointer of what is not in the document itself.
SchemaView DiffDocument::view_of(Target const& target, std::string guess,
                                 Pointers const& pointers) {
    SchemaView view = root();
    view.node = target.node;
    if (target.resource != nullptr) view.resource = target.resource;
    auto const known = pointers.find(target.node);
    if (known != pointers.end() && !known->second.empty()) {
        view.pointer = known->second;
    } else {
        view.pointer =
            places_ ? places_->pointer_of(*target.node, std::move(guess)) : std::move(guess);
    }
    return view;
}

void DiffDocument::read_operation(OperationSource const& source, Operation const& operation,
                                  Pointers const& pointers) {
    std::string const here = below(below("/paths", source.template_key), "$ref") + '/'
                             + escape_token(in_lower_case(operation.method));
    OperationView one;
    one.operation = &operation;
    one.path_names = operation.parameter_names;
    one.written = view_of({source.written, {}, source.resource}, here, pointers);
    one.view = one.written;
    one.view.node = source.read;
    for (std::size_t i = 0; i < source.parameters.size(); ++i) {
        ParameterView parameter;
        std::string guess = below(below(one.written.pointer, "parameters"), std::to_string(i));
        parameter.view = view_of(source.parameters[i], std::move(guess), pointers);
        parameter.name = text_at(parameter.view, "name");
        parameter.place = text_at(parameter.view, "in");
        // RFC 9110, 5.1: names of header fields are case-insensitive.
        if (parameter.place == "header") parameter.name = in_lower_case(parameter.name);
        one.parameters.push_back(std::move(parameter));
    }
    for (auto const& [status, target] : source.responses) {
        one.responses.emplace_back(status,
                                   view_of(target, one.place_of_response(status), pointers));
    }
    operations_.push_back(std::move(one));
}

} // namespace sallyport::contract
