// `sallyport contract list`: see contract_list.h.
#include "gateway/commands/contract_list.h"

#include "gateway/contract/contract.h"
#include "gateway/contract/rule_list.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

namespace sallyport::commands {

namespace {

namespace json = boost::json;
using contract::Contract;
using contract::Operation;

template <class Range>
std::string joined(Range const& texts) {
    std::string out;
    for (std::string_view const text : texts) {
        if (!out.empty()) out += ", ";
        out += text;
    }
    return out;
}

std::vector<std::string> media_types_of(Operation const& operation) {
    std::vector<std::string> out;
    if (!operation.request_body) return out;
    for (auto const& type : operation.request_body->media_types)
        if (!type.is_json_of_range()) out.push_back(type.text());
    return out;
}

// Who may call an operation by the document itself; empty: it does not say.
std::string security_of(contract::Security const& security) {
    if (!security.is_stated) return {};
    if (security.is_public) return "  security: public";
    std::vector<std::string> alternatives;
    for (auto const& one : security.alternatives) {
        auto text = one.takes;
        if (!one.scopes.empty()) text += " (" + joined(one.scopes) + ')';
        bool const is_there =
            std::find(alternatives.begin(), alternatives.end(), text) != alternatives.end();
        if (!is_there) alternatives.push_back(std::move(text));
    }
    auto all = joined(alternatives);
    auto const unsupported = joined(security.unsupported);
    if (!unsupported.empty())
        all += (all.empty() ? "unsupported: " : "; unsupported: ") + unsupported;
    return "  security: " + all;
}

// Of an operation with such marks; empty: it has none.
std::string marks_of(Operation const& operation) {
    std::string out;
    if (operation.streams == contract::Streams::all) out += "  stream";
    if (operation.streams == contract::Streams::event_streams) out += "  stream: text/event-stream";
    if (operation.upgrade) {
        out += "  upgrade: websocket";
        if (auto const& origins = operation.upgrade->origins; !origins.empty())
            out += " (" + joined(origins) + ')';
    }
    if (operation.forwards_trailers) out += "  trailers: forward";
    return out;
}

// --- text

std::size_t widest_id(Contract const& contract) {
    std::size_t widest = 0;
    for (auto const& operation : contract.operations())
        widest = std::max(widest, operation.id.size());
    return widest;
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out{text};
    out.resize(std::max(width, text.size()), ' ');
    return out;
}

void put_rules(std::ostream& out, Contract const& contract, Operation const& operation) {
    for (auto const& rule : contract::list_rules(contract, operation.index)) {
        out << "    " << rule.pointer;
        if (!rule.phrase.empty()) out << ": " << rule.phrase;
        out << '\n';
    }
}

void put_unchecked(std::ostream& out, Contract const& contract,
                   std::vector<std::uint32_t> const& places, std::string_view word) {
    for (auto const number : places) {
        auto const& place = contract.unchecked()[number];
        out << "    " << word << ": " << place.mark.file_name() << ':' << place.mark.line << ':'
            << place.mark.column << ": " << place.path << ": " << place.what << '\n';
    }
}

void put_text(std::ostream& out, std::string const& file, Contract const& contract,
              ListRules rules) {
    auto const count = contract.operations().size();
    out << file << ": " << contract.title() << " (" << count << " operation"
        << (count == 1 ? "" : "s") << ")\n";
    auto const width = widest_id(contract);
    for (auto const& operation : contract.operations()) {
        out << "  " << padded(operation.id, width) << "  " << padded(operation.method, 7) << ' '
            << operation.path;
        if (!operation.tags.empty()) out << "  [" << joined(operation.tags) << ']';
        out << security_of(operation.security) << marks_of(operation) << '\n';
        put_unchecked(out, contract, operation.unchecked_in_requests, "unchecked");
        put_unchecked(out, contract, operation.unchecked_in_responses, "unchecked in responses");
        if (rules == ListRules::yes) put_rules(out, contract, operation);
    }
    auto const& secrets = contract.secret_members();
    if (!secrets.empty()) out << "  secret properties: " << joined(secrets) << '\n';
}

// --- JSON

template <class Range>
json::array array_of(Range const& texts) {
    json::array out;
    for (std::string_view const text : texts)
        out.emplace_back(json::string_view{text.data(), text.size()});
    return out;
}

json::string_view shown(std::string_view text) {
    return {text.data(), text.size()};
}

json::array parameters_of(Operation const& operation) {
    json::array out;
    auto const add = [&out](auto const& parameters, char const* place) {
        for (auto const& one : parameters)
            out.push_back(
                json::object{{"name", shown(one.name)}, {"in", place}, {"required", one.required}});
    };
    add(operation.path_parameters, "path");
    add(operation.query_parameters, "query");
    add(operation.header_parameters, "header");
    return out;
}

json::array places_of(Contract const& contract, std::vector<std::uint32_t> const& places) {
    json::array out;
    for (auto const number : places) {
        auto const& place = contract.unchecked()[number];
        out.push_back(json::object{{"file", shown(place.mark.file_name())},
                                   {"line", place.mark.line},
                                   {"column", place.mark.column},
                                   {"path", shown(place.path)},
                                   {"message", shown(place.what)}});
    }
    return out;
}

json::value security_object(contract::Security const& security) {
    if (!security.is_stated) return nullptr;
    json::array alternatives;
    for (auto const& one : security.alternatives)
        alternatives.push_back(
            json::object{{"takes", shown(one.takes)}, {"scopes", array_of(one.scopes)}});
    return json::object{{"public", security.is_public},
                        {"takes", array_of(security.takes)},
                        {"alternatives", std::move(alternatives)},
                        {"unsupported", array_of(security.unsupported)}};
}

json::value stream_of(Operation const& operation) {
    switch (operation.streams) {
    case contract::Streams::none: return nullptr;
    case contract::Streams::event_streams: return "text/event-stream";
    case contract::Streams::all: break;
    }
    return "all";
}

json::value upgrade_object(Operation const& operation) {
    if (!operation.upgrade) return nullptr;
    return json::object{{"protocol", "websocket"},
                        {"origins", array_of(operation.upgrade->origins)}};
}

json::object object_of(Contract const& contract, Operation const& operation, ListRules rules) {
    json::object out{
        {"operation", shown(operation.id)},
        {"method", shown(operation.method)},
        {"path", shown(operation.path)},
        {"tags", array_of(operation.tags)},
        {"parameters", parameters_of(operation)},
        {"media_types", array_of(media_types_of(operation))},
        {"security", security_object(operation.security)},
        {"stream", stream_of(operation)},
        {"upgrade", upgrade_object(operation)},
        {"trailers", operation.forwards_trailers ? "forward" : "drop"},
        {"unchecked", places_of(contract, operation.unchecked_in_requests)},
        {"unchecked_in_responses", places_of(contract, operation.unchecked_in_responses)}};
    if (rules == ListRules::no) return out;
    json::array list;
    for (auto const& rule : contract::list_rules(contract, operation.index))
        list.push_back(json::object{{"rule_pointer", shown(rule.pointer)},
                                    {"rule", shown(rule.keyword)},
                                    {"message", shown(rule.phrase)}});
    out["rules"] = std::move(list);
    return out;
}

json::object object_of(std::string const& file, Contract const& contract, ListRules rules) {
    json::array operations;
    for (auto const& operation : contract.operations())
        operations.push_back(object_of(contract, operation, rules));
    return {{"file", shown(file)},
            {"title", shown(contract.title())},
            {"operations", std::move(operations)},
            {"secret_properties", array_of(contract.secret_members())}};
}

} // namespace

int run_contract_list(ContractListOptions const& options, std::ostream& out, std::ostream& err) {
    std::vector<std::shared_ptr<Contract const>> contracts;
    for (std::string const& file : options.files) {
        auto loaded = Contract::load_file(
            file,
            {options.schema_folders, options.overlays, options.unsupported, {}, options.folder});
        if (!loaded.contract) print_problems(err, loaded.problems);
        contracts.push_back(std::move(loaded.contract));
    }
    if (std::find(contracts.begin(), contracts.end(), nullptr) != contracts.end()) return 1;
    json::array documents;
    for (std::size_t i = 0; i < contracts.size(); ++i) {
        if (options.format == Format::text) {
            put_text(out, options.files[i], *contracts[i], options.rules);
        } else {
            documents.push_back(object_of(options.files[i], *contracts[i], options.rules));
        }
    }
    if (options.format != Format::text) out << json::serialize(documents) << '\n';
    return 0;
}

} // namespace sallyport::commands
