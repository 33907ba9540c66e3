// Compiles the fields in which upstreams learn who calls, and checks that nothing else writes them.
#include "gateway/lifecycle/compile.h"

#include "config/addresses.h"
#include "config/text.h"
#include "gateway/http/changed_fields.h"
#include "gateway/http/field_name.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using config::CallerField;
using config::CallerFields;

// Requests of the API go to these upstreams.
std::set<std::size_t> upstreams_of(config::Api const& api) {
    std::set<std::size_t> reached{api.upstream};
    for (auto const& rule : api.rules)
        if (rule.upstream) reached.insert(*rule.upstream);
    return reached;
}

bool reaches_any(config::Api const& api, std::set<std::size_t> const& upstreams) {
    auto const reached = upstreams_of(api);
    return std::any_of(reached.begin(), reached.end(),
                       [&](auto one) { return upstreams.contains(one); });
}

bool have_same_server(config::Upstream const& one, config::Upstream const& other) {
    return std::find_first_of(one.endpoints.begin(), one.endpoints.end(), other.endpoints.begin(),
                              other.endpoints.end(), config::have_same_address)
           != one.endpoints.end();
}

// These, and all that have an endpoint of one of them: a server may be configured as several
// upstreams, and trusts the fields in the requests of each.
std::set<std::size_t> with_same_servers(config::Config const& config,
                                        std::set<std::size_t> const& upstreams) {
    auto all = upstreams;
    for (std::size_t i = 0; i < config.upstreams.size(); ++i)
        for (auto const one : upstreams)
            if (have_same_server(config.upstreams[one], config.upstreams[i])) all.insert(i);
    return all;
}

std::vector<CallerField> all_fields(CallerFields const& told) {
    auto fields = told.fields;
    if (told.assertion) fields.push_back(told.assertion->field);
    return fields;
}

// Why no upstream can be told in a field of this name; empty: it can. The fields that are known to
// assert identities are what this is for: clients' own never arrive, as those of other names.
std::string_view reason_against_name(std::string_view name) {
    using http::FieldId;
    if (http::shadows_known_field(name)) return "servers may take it for another field (RFC 3875)";
    if (http::identify_field(name) == FieldId::identity) return {};
    return http::reason_against(http::FieldOf::request, http::FieldChange::write, name);
}

class Check {
public:
    Check(Read const& read, std::vector<std::unique_ptr<pipeline::Api>> const& apis,
          Problems& problems)
        : config_{read.config}, apis_{apis}, problems_{problems} {}

    // `reached`: the upstreams where the fields are sent to, and those of the same servers.
    void look_at(CallerFields const& told, std::set<std::size_t> const& reached) {
        auto const fields = all_fields(told);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            auto const& field = fields[i];
            if (auto const reason = reason_against_name(field.name); !reason.empty()) {
                refuse(field, std::string{reason});
            } else if (is_named_before(fields, i)) {
                refuse(field, "the field is named twice, or servers take two of them for one");
            } else {
                look_at_apis(field, reached);
            }
        }
    }

private:
    static bool is_named_before(std::vector<CallerField> const& all, std::size_t end) {
        return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](CallerField const& other) {
                               return http::is_same_variable(other.name, all[end].name);
                           });
    }

    void look_at_apis(CallerField const& field, std::set<std::size_t> const& reached) {
        for (std::size_t i = 0; i < apis_.size(); ++i) {
            if (!reaches_any(config_.apis[i], reached)) continue;
            auto const name = config::in_quotes(apis_[i]->name);
            if (is_written(config_.apis[i].headers.request, field.name))
                return refuse(field, "`headers` of the API " + name + " writes it");
            // What was checked is what arrives.
            if (is_declared(*apis_[i], field.name))
                return refuse(field,
                              "the contract of the API " + name + " declares it as a parameter");
        }
    }

    static bool is_written(config::FieldChanges const& changes, std::string_view name) {
        auto const is_same = [name](config::WrittenField const& field) {
            return http::is_same_variable(field.name, name);
        };
        return std::any_of(changes.set.begin(), changes.set.end(), is_same)
               || std::any_of(changes.add.begin(), changes.add.end(), is_same);
    }

    static bool is_declared(pipeline::Api const& api, std::string_view name) {
        if (api.contract == nullptr) return false;
        auto const& operations = api.contract->operations();
        return std::any_of(operations.begin(), operations.end(), [name](auto const& operation) {
            auto const& declared = operation.header_parameters;
            return std::any_of(declared.begin(), declared.end(), [name](auto const& parameter) {
                return http::is_same_variable(parameter.name, name);
            });
        });
    }

    void refuse(CallerField const& field, std::string const& reason) {
        problems_.push_back(
            config::problem_at(field.origin,
                               "the upstream cannot be told of the caller in the field "
                                   + config::in_quotes(field.name) + ": " + reason,
                               "write another name, such as X-Caller"));
    }

    config::Config const& config_;
    std::vector<std::unique_ptr<pipeline::Api>> const& apis_;
    Problems& problems_;
};

class Compiler {
public:
    Compiler(jose::KeySources& sources, Snapshot& snapshot, Problems& problems)
        : sources_{sources}, snapshot_{snapshot}, problems_{problems} {}

    pipeline::CallerFields compile(CallerFields const& from) {
        pipeline::CallerFields made;
        for (auto const& field : from.fields) {
            auto const variable =
                field.label.empty() ? config::Variable::credential : config::Variable::label;
            made.rules.add_line(field.name,
                                std::vector<config::ValuePart>{{field.label, variable}});
        }
        if (from.assertion) made.assertion = compile(*from.assertion);
        return made;
    }

private:
    std::unique_ptr<pipeline::AssertionRules const> compile(config::Assertion const& from) {
        auto made = std::make_unique<pipeline::AssertionRules>();
        made->field = from.field.name;
        made->issuer = from.issuer;
        made->audience = from.audience;
        made->lifetime = std::chrono::duration_cast<std::chrono::seconds>(from.lifetime);
        made->keys = keys_of(from);
        return made;
    }

    // Assertions with one source of keys share its settings: the most careful ones count.
    std::shared_ptr<jose::SigningKeys> keys_of(config::Assertion const& from) {
        auto const file = from.key ? from.key->path : std::string{};
        auto& all = snapshot_.keys_of_assertions;
        auto found = std::find_if(all.begin(), all.end(),
                                  [&file](auto const& one) { return one.file == file; });
        jose::SigningKeys::Settings settings{from.lifetime, from.publish_ahead, {}};
        if (!from.key) settings.rotate_every = from.rotate_every;
        if (found == all.end()) {
            found = all.insert(all.end(), {file, sources_.of(file), settings, nullptr});
            if (from.key) found->key = load_key(*from.key);
            return found->keys;
        }
        auto& merged = found->settings;
        merged.lifetime = std::max(merged.lifetime, settings.lifetime);
        merged.publish_ahead = std::max(merged.publish_ahead, settings.publish_ahead);
        if (settings.rotate_every)
            merged.rotate_every = std::min(*merged.rotate_every, *settings.rotate_every);
        return found->keys;
    }

    jose::SigningKeys::Key load_key(config::File const& file) {
        auto read = config::read_file(file.path, largest_key);
        auto loaded = read.problem.empty() ? jose::SigningKey::load(read.text)
                                           : jose::SigningKey::Loaded{nullptr, read.problem};
        config::wipe(read.text);
        if (loaded.key == nullptr)
            problems_.push_back(
                config::problem_at(file.origin, file.path + ": " + loaded.problem,
                                   "make one: openssl ecparam -name prime256v1 -genkey -noout"));
        return loaded.key;
    }

    static constexpr std::size_t largest_key = 64UL * 1024;

    jose::KeySources& sources_;
    Snapshot& snapshot_;
    Problems& problems_;
};

void add_names(CallerFields const& told, std::vector<std::string>& names) {
    for (auto const& field : all_fields(told)) {
        bool const is_there = std::any_of(names.begin(), names.end(), [&](auto const& name) {
            return http::is_same_variable(name, field.name);
        });
        if (!is_there) names.push_back(field.name);
    }
}

// Of all that the servers of an upstream may be told, as this one or as another.
std::vector<std::string> names_at(config::Config const& config, std::size_t upstream) {
    auto const same = with_same_servers(config, {upstream});
    std::vector<std::string> names;
    for (auto const one : same)
        if (auto const& own = config.upstreams[one].identity) add_names(*own, names);
    for (auto const& api : config.apis)
        if (api.identity && reaches_any(api, same)) add_names(*api.identity, names);
    return names;
}

} // namespace

void check_caller_fields(Read const& read, std::vector<std::unique_ptr<pipeline::Api>> const& apis,
                         Problems& problems) {
    Check check{read, apis, problems};
    auto const& config = read.config;
    for (std::size_t i = 0; i < config.upstreams.size(); ++i)
        if (auto const& identity = config.upstreams[i].identity)
            check.look_at(*identity, with_same_servers(config, {i}));
    for (auto const& api : config.apis)
        if (api.identity)
            check.look_at(*api.identity, with_same_servers(config, upstreams_of(api)));
}

void caller_fields(config::Config const& config, jose::KeySources& keys,
                   std::vector<std::unique_ptr<pipeline::Api>>& apis, Snapshot& snapshot,
                   Problems& problems) {
    Compiler compiler{keys, snapshot, problems};
    for (std::size_t i = 0; i < config.upstreams.size(); ++i) {
        auto names = names_at(config, i);
        if (names.empty()) continue;
        auto made = std::make_unique<pipeline::UpstreamCallerFields>();
        made->names = std::move(names);
        if (auto const& own = config.upstreams[i].identity) made->usual = compiler.compile(*own);
        snapshot.upstreams[i].settings.caller_fields = std::move(made);
    }
    for (std::size_t i = 0; i < apis.size(); ++i) {
        if (auto const& identity = config.apis[i].identity)
            apis[i]->caller_fields =
                std::make_unique<pipeline::CallerFields const>(compiler.compile(*identity));
    }
}

} // namespace sallyport::lifecycle::compile
