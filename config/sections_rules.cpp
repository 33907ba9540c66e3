// Of the section `apis`: `rules`, what an API says of single operations of its contract.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::config {

namespace {

using Draft = ApiDraft;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr ByteCount largest_body = gibibytes(1024); // as of limits.body

std::vector<Word<Retry>> const retry_words{{"safe", Retry::safe}, {"never", Retry::never}};

constexpr std::array<std::string_view, 4> selectors{"operation", "tag", "method", "path"};
constexpr std::array<std::string_view, 8> settings{"level",      "authenticate", "upstream",
                                                   "body_limit", "timeouts",     "retry",
                                                   "lists",      "log_bodies"};

template <class T>
Key<T> duration_key(std::string_view name, std::optional<Duration> T::*member, Duration maximum,
                    std::string_view help) {
    Duration const minimum = milliseconds{1};
    KeyInfo info{name, Shape{ShapeKind::duration, minimum.count(), maximum.count()}, help};
    return custom_key<T>(std::move(info), [=](Reader& reader, Value const& value, T& out) {
        if (auto const read = reader.read_duration(value, minimum, maximum)) out.*member = *read;
    });
}

// A key of words that has no default.
template <class T, class E>
Key<T> choice_key(std::string_view name, std::optional<E> T::*member, std::vector<Word<E>> words,
                  std::string_view help) {
    KeyInfo info{name, word_shape(infos_of(words)), help};
    return custom_key<T>(std::move(info), [member, words = std::move(words)](
                                              Reader& reader, Value const& value, T& out) {
        if (auto const read = read_word(reader, value, words)) out.*member = *read;
    });
}

Section<OperationTimeouts> const& timeouts_section() {
    using T = OperationTimeouts;
    static Section<T> const section{
        "timeouts of a rule",
        {
            duration_key("connect", &T::connect, hours{1},
                         "to open a connection, its TLS included"),
            duration_key("first_byte", &T::first_byte, hours{24},
                         "from the end of the request to the first byte of the response"),
            duration_key("idle", &T::idle, hours{24}, "without a byte in either direction"),
            duration_key("total", &T::total, hours{24}, "for the whole exchange"),
        },
        {.fewest_keys = 1}};
    return section;
}

Section<OperationBodies> const& bodies_section() {
    using T = OperationBodies;
    static Section<T> const section{"log_bodies",
                                    {
                                        choice_key("requests", &T::requests, body_logging_words(),
                                                   "which requests' bodies the access log has"),
                                        choice_key("responses", &T::responses, body_logging_words(),
                                                   "which responses' bodies the access log has"),
                                    },
                                    {.fewest_keys = 1}};
    return section;
}

template <class M>
Key<RuleDraft> part_key(std::string_view name, M OperationRule::*member, Section<M> const& section,
                        std::string_view help) {
    return custom_key<RuleDraft>({name, section_shape(section.info()), help},
                                 [=, &section](Reader& reader, Value const& value, RuleDraft& out) {
                                     section.read(reader, value, out.*member);
                                     if (value.node->is_mapping() && value.node->entries().empty())
                                         reader.refuse(value, "is empty",
                                                       "write what is to be changed, or remove it");
                                 });
}

void read_rule_pointer(Reader& reader, Value const& value, RuleDraft& out) {
    auto rule = reader.read_line(value, 1024);
    if (!rule) return;
    if (rule->front() == '/') {
        out.rule = std::move(*rule);
    } else {
        reader.refuse(value, Reader::shown(value) + " is not a rule pointer",
                      "copy rule_pointer from the log, such as \"/properties/name/maxLength\"");
    }
}

void add_selectors(std::vector<Key<RuleDraft>>& keys) {
    using T = OperationRule;
    auto const line = [](std::string_view name, std::optional<std::string> T::*member,
                         std::int64_t longest, std::string pattern, std::string_view help) {
        KeyInfo info{name, text_shape(longest, std::move(pattern)), help};
        return custom_key<RuleDraft>(
            std::move(info), [=](Reader& reader, Value const& value, RuleDraft& out) {
                auto text = reader.read_line(value, static_cast<std::size_t>(longest));
                if (text) out.*member = std::move(*text);
            });
    };
    keys.push_back(line("operation", &T::operation, 256, {}, "operationId of the contract"));
    keys.push_back(line("tag", &T::tag, 256, {}, "one of the tags of its operations"));
    keys.push_back(line("method", &T::method, 32, {}, "method of its operations, such as GET"));
    keys.push_back(line("path", &T::path, 1024, {},
                        "a path of the contract, with its parameters in braces; all below it with "
                        "/* at its end"));
}

void add_settings(std::vector<Key<RuleDraft>>& keys) {
    keys.push_back(custom_key<RuleDraft>(
        {"upstream", text_shape(64, name_pattern()), "name of their upstream"},
        [](Reader& reader, Value const& value, RuleDraft& out) {
            out.upstream_name = reader.read_line(value, 64);
        }));
    keys.push_back(custom_key<RuleDraft>(
        {"body_limit", Shape{ShapeKind::size, 0, static_cast<std::int64_t>(largest_body.bytes)},
         "the largest body of a request"},
        [](Reader& reader, Value const& value, RuleDraft& out) {
            out.body_limit = reader.read_size(value, ByteCount{0}, largest_body);
            out.body_limit_mark = value.node->mark();
        }));
    keys.push_back(part_key("timeouts", &OperationRule::timeouts, timeouts_section(),
                            "deadlines, instead of those of the contract and the upstream"));
    keys.push_back(custom_key<RuleDraft>(
        {"retry", word_shape(infos_of(retry_words)),
         "safe: a request may be sent again after a kept connection has failed; never: it is not, "
         "GET included"},
        [](Reader& reader, Value const& value, RuleDraft& out) {
            if (auto const word = read_word(reader, value, retry_words)) out.retry = *word;
        }));
    keys.push_back(custom_key<RuleDraft>(
        {"lists", word_shape(infos_of(lists_words())),
         "how the upstream reads lists, instead of the contract's and the API's"},
        [](Reader& reader, Value const& value, RuleDraft& out) {
            if (auto const word = read_word(reader, value, lists_words())) out.lists = *word;
        }));
    keys.push_back(part_key("log_bodies", &OperationRule::log_bodies, bodies_section(),
                            "bodies in the access log, instead of access_log.bodies"));
}

std::unique_ptr<Section<RuleDraft> const> make_rule_section(Authenticators authenticators) {
    std::vector<Key<RuleDraft>> keys;
    add_selectors(keys);
    keys.push_back(custom_key<RuleDraft>(
                       {"rule", text_shape(1024, text_pattern({}, "/")),
                        "the rule_pointer of the log that the level is of; without it all rules"},
                       read_rule_pointer)
                       .needing("operation", "a rule pointer is that of one operation"));
    keys.push_back(custom_key<RuleDraft>(
        {"level", word_shape(infos_of(request_level_words())), "how strictly it is taken"},
        [](Reader& reader, Value const& value, RuleDraft& out) {
            if (auto const level = read_word(reader, value, request_level_words()))
                out.level = *level;
        }));
    auto const authenticate = std::make_shared<AuthenticateKey const>(authenticators);
    keys.push_back(custom_key<RuleDraft>(
        {"authenticate", authenticate->shape(),
         "how callers of these operations prove who they are: some of those of the API, or one of "
         "them with others (`all`), or none"},
        [authenticate](Reader& reader, Value const& value, RuleDraft& out) {
            authenticate->read(reader, value, out.authenticate);
        }));
    add_settings(keys);
    return std::make_unique<Section<RuleDraft> const>(
        "rule", std::move(keys),
        SectionRules{
            .some_of = {{selectors.begin(), selectors.end()}, {settings.begin(), settings.end()}}});
}

// --- what concerns several keys

bool has_any(Value const& mapping, std::span<std::string_view const> keys) {
    return std::any_of(keys.begin(), keys.end(), [&mapping](std::string_view key) {
        return mapping.node->find(key) != nullptr;
    });
}

// Whether both choose the same operations, and of them the same rule.
bool has_same_place(RuleDraft const& a, RuleDraft const& b) {
    return a.operation == b.operation && a.tag == b.tag && a.method == b.method && a.path == b.path
           && a.rule == b.rule;
}

void read_rule(Reader& reader, Value const& item, Section<RuleDraft> const& section, Draft& out) {
    RuleDraft rule;
    rule.node = item.node;
    rule.origin = Reader::origin_of(item);
    section.read(reader, item, rule);
    if (!item.node->is_mapping()) return;
    reader.check_needs(item, section.info());
    if (!has_any(item, selectors)) {
        reader.refuse(item, "names no operation",
                      "write operation: OPERATION_ID, or a tag, method or path");
    } else if (!has_any(item, settings)) {
        reader.refuse(item, "says nothing of its operations", "write level: report");
    } else if (rule.rule && item.node->find("level") == nullptr) {
        reader.refuse(item, "a rule pointer is for a level, which is missing",
                      "write level: report");
    }
    if (reader.has_left_open(item.path)) return;
    bool const is_repeated =
        has_any(item, selectors)
        && std::any_of(out.rule_drafts.begin(), out.rule_drafts.end(),
                       [&rule](RuleDraft const& other) { return has_same_place(rule, other); });
    if (is_repeated) {
        reader.refuse(item, "this rule is given twice", "remove one");
    } else {
        out.rule_drafts.push_back(std::move(rule));
    }
}

// Callers of an operation are among those of its API, or prove more than they have to there.
void check_authenticate(Reader& reader, Value const& rule, Authenticators authenticators,
                        AuthenticatorSets const& of_rule, AuthenticatorSets const& of_api) {
    for (AuthenticatorSet const& set : of_rule) {
        bool const is_of_api =
            std::any_of(of_api.begin(), of_api.end(),
                        [&set](AuthenticatorSet const& one) { return set.includes(one); });
        if (is_of_api || accept_every_client(authenticators, {set})) continue;
        reader.refuse(Reader::child(rule, "authenticate"),
                      "the API does not take " + in_quotes(set.text()),
                      "add it to `authenticate` of the API, or remove it");
    }
}

} // namespace

std::vector<Word<Lists>> const& lists_words() {
    static std::vector<Word<Lists>> const words{
        {"both", Lists::both}, {"strict", Lists::strict}, {"decoded", Lists::decoded}};
    return words;
}

std::vector<Word<Level>> const& request_level_words() {
    static std::vector<Word<Level>> const words{
        {"enforce", Level::enforce}, {"report", Level::report}, {"off", Level::off}};
    return words;
}

Key<ApiDraft> rules_key(Authenticators authenticators) {
    std::shared_ptr<Section<RuleDraft> const> const section = make_rule_section(authenticators);
    return custom_key<Draft>({"rules", list_shape(section_shape(section->info())),
                              "levels and settings of single operations", "[]"},
                             [section](Reader& reader, Value const& value, Draft& out) {
                                 for (Value const& item : reader.read_list(value, Empty::allowed))
                                     read_rule(reader, item, *section, out);
                             });
}

void finish_rules(Reader& reader, Authenticators authenticators, Config const& config,
                  ApiDraft& out) {
    for (RuleDraft& draft : out.rule_drafts) {
        Value const rule{draft.node, Path{draft.origin.path}};
        if (draft.upstream_name)
            draft.upstream =
                find_upstream(reader, Reader::origin_of(Reader::child(rule, "upstream")),
                              *draft.upstream_name, config);
        // An error of its own otherwise.
        if (!out.authenticate.empty())
            check_authenticate(reader, rule, authenticators, draft.authenticate, out.authenticate);
        out.rules.push_back(std::move(static_cast<OperationRule&>(draft)));
    }
    out.rule_drafts.clear();
}

} // namespace sallyport::config
