// The dashboard and the alert rules use metrics, labels and words that a running gateway has, and
// Prometheus accepts them.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/authority.h"
#include "tests/support/http2_client.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace e22_monitoring {

using namespace sallyport::test;

namespace {

using Words = std::set<std::string>;

std::vector<std::smatch> matches(std::string const& text, std::regex const& pattern) {
    return {std::sregex_iterator{text.begin(), text.end(), pattern}, {}};
}

// ---- The metrics of the gateway -----------------------------------------------------------------

struct Metric {
    std::string type;
    Words labels;
};

// A page of /metrics. Histograms are known by each of their three names.
std::map<std::string, Metric> metrics_on(std::string const& page) {
    static std::regex const type{R"(# TYPE (\w+) (\w+))"};
    static std::regex const series{R"((\w+)(?:\{(.*)\})? \S+)"};
    static std::regex const label{R"re((\w+)="(?:[^"\\]|\\.)*")re"};
    std::map<std::string, Metric> metrics;
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (std::regex_match(line, found, type)) {
            bool const is_histogram = found[2] == "histogram";
            for (auto const* const part : {"_bucket", "_sum", "_count"})
                if (is_histogram) metrics[found[1].str() + part].type = found[2];
            if (!is_histogram) metrics[found[1]].type = found[2];
        } else if (std::regex_match(line, found, series)) {
            std::string const labels = found[2];
            for (auto const& one : matches(labels, label))
                metrics[found[1]].labels.insert(one[1]);
        }
    }
    return metrics;
}

// Every metric that a gateway can have: one that has served, refused and reported.
std::map<std::string, Metric> const& known_metrics() {
    static auto const metrics = [] {
        auto const change =
            both(with_management("requests: report, responses: report"), [](Configuration& c) {
                c.rest += admin_section;
                c.listeners += "      client_certificates: { verify: "
                               "optional, ca: ca.pem, crl: crl.pem }\n";
            });
        IssuingAuthority const authority{"Clients root"};
        Gateway::Options options;
        options.files = {{"ca.pem", authority.certificate()}, {"crl.pem", authority.list()}};
        Stage stage{{}, change, options};
        auto broken = request_for("updatePipeSettings");
        broken.body(R"({"db_max_threads": 65})");
        CHECK(stage.send(broken).status == 200);
        CHECK(stage.send(request_for("getPipe").authorization("Basic eDp5")).status == 401);
        Http2Client failing{stage.port()};
        failing.send(http2::ping() + http2::data(1, "x"));
        failing.read_to_end();
        stage.gateway.wait_for_log_lines(3);
        auto const page = request_admin(stage.gateway, "/metrics");
        stage.finish();
        auto found = metrics_on(page.body);
        found["up"]; // Prometheus's own
        return found;
    }();
    return metrics;
}

// ---- The metrics in use -------------------------------------------------------------------------

struct Question {
    std::string where;
    std::string expression;
    std::string legend; // with {{label}}
};

// Variables of Grafana, as it replaces them.
std::string without_variables(std::string expression) {
    for (auto const& [variable, value] :
         {std::pair{"$__rate_interval", "5m"}, {"$api", ".*"}, {"$instance", ".*"}}) {
        for (auto at = expression.find(variable); at != std::string::npos;
             at = expression.find(variable))
            expression.replace(at, std::string{variable}.size(), value);
    }
    return expression;
}

Json dashboard() {
    return Json::parse(read_file(sources() / "deploy/monitoring/dashboard.json"));
}

std::vector<Question> questions_of_dashboard() {
    std::vector<Question> out;
    auto const board = dashboard();
    for (auto const& panel : board["panels"].items) {
        if (panel["type"].string == "row") continue;
        CHECK_FALSE(panel["targets"].items.empty());
        for (auto const& target : panel["targets"].items) {
            out.push_back({panel["title"].string, without_variables(target["expr"].string),
                           target["legendFormat"].string});
        }
    }
    for (auto const& annotation : board["annotations"]["list"].items) {
        out.push_back({annotation["name"].string, without_variables(annotation["expr"].string),
                       annotation["textFormat"].string});
    }
    return out;
}

YAML::Node alerts() {
    return YAML::LoadFile(sources() / "deploy/monitoring/alerts.yml");
}

std::vector<YAML::Node> rules_of(YAML::Node const& file) {
    std::vector<YAML::Node> out;
    for (auto const& group : file["groups"]) {
        for (auto const& rule : group["rules"])
            out.push_back(rule);
    }
    return out;
}

std::vector<Question> questions_of_alerts() {
    std::vector<Question> out;
    for (auto const& rule : rules_of(alerts())) {
        std::string texts;
        for (auto const& annotation : rule["annotations"]) {
            // {{ $labels.api }} is {{api}} of a legend.
            texts += std::regex_replace(annotation.second.as<std::string>(),
                                        std::regex{R"(\{\{ \$labels\.(\w+) \}\})"}, "{{$1}}");
        }
        out.push_back({rule["alert"].as<std::string>(), rule["expr"].as<std::string>(), texts});
    }
    return out;
}

// Labels that Prometheus adds to everything it scrapes.
Words const of_the_target{"instance", "job"};

// The words of the pages in `...`: reasons, results, states.
bool is_in_guide(std::string const& word) {
    static auto const guide =
        read_file(sources() / "deploy/watching.md") + read_file(sources() / "deploy/access-log.md");
    return guide.find("`" + word + "`") != std::string::npos;
}

// Matchers of a selector: labels that the metric has, and values of the guide.
void check_matchers(std::string const& metric, std::string const& matchers, Words const& labels) {
    static std::regex const matcher{R"re((\w+)\s*(=~|!~|!=|=)\s*"([^"]*)")re"};
    for (auto const& found : matches(matchers, matcher)) {
        INFO(metric << " " << found.str());
        bool const is_label = labels.count(found[1]) + of_the_target.count(found[1]) > 0;
        CHECK(is_label);
        if (of_the_target.count(found[1]) == 1 || found[1] == "status") continue;
        std::istringstream words{std::regex_replace(found[3].str(), std::regex{R"(\|)"}, " ")};
        for (std::string word; words >> word;) {
            if (word != ".*") CHECK(is_in_guide(word));
        }
    }
}

void check_question(Question const& question) {
    INFO(question.where << ": " << question.expression);
    static std::regex const selector{
        R"(\b((?:sallyport|process)_\w+|up\b|\w+(?=\s*[{\[]))(?:\s*\{([^}]*)\})?)"};
    static std::regex const grouping{R"(\b(?:by|without|on|ignoring)\s*\(([^)]*)\))"};
    static std::regex const word{R"(\w+)"};
    static std::regex const in_legend{R"(\{\{(\w+)\}\})"};
    auto const& metrics = known_metrics();
    Words labels = of_the_target;
    auto const selectors = matches(question.expression, selector);
    CHECK_FALSE(selectors.empty());
    for (auto const& found : selectors) {
        INFO(found.str());
        REQUIRE(metrics.count(found[1]) == 1);
        auto const& own = metrics.at(found[1]).labels;
        check_matchers(found[1], found[2], own);
        labels.insert(own.begin(), own.end());
    }
    Words grouped;
    for (auto const& found : matches(question.expression, grouping)) {
        std::string const list = found[1];
        for (auto const& label : matches(list, word)) {
            INFO(label.str());
            CHECK(labels.count(label.str()) == 1);
            grouped.insert(label.str());
        }
    }
    // The labels that remain after an aggregation.
    bool const is_aggregated =
        std::regex_search(question.expression, std::regex{R"(\b(sum|min|max|count|avg)\b)"});
    for (auto const& found : matches(question.legend, in_legend)) {
        INFO(found.str());
        CHECK((is_aggregated ? grouped : labels).count(found[1]) == 1);
    }
}

// It takes seconds of processor time for the tests of the rules, many times that on a busy machine.
Finished run_promtool(std::vector<std::string> arguments, std::filesystem::path const& folder) {
    arguments.insert(arguments.begin(), "promtool");
    return run({std::move(arguments), {}, folder}, {}, TimeLimit{std::chrono::minutes{5}});
}

} // namespace

TEST_CASE("every alert uses existing metrics, labels and words") {
    auto const questions = questions_of_alerts();
    CHECK(questions.size() > 15);
    for (auto const& question : questions)
        check_question(question);
}

TEST_CASE("every panel of the dashboard uses existing metrics, labels and words") {
    auto const questions = questions_of_dashboard();
    CHECK(questions.size() > 30);
    for (auto const& question : questions)
        check_question(question);
}

TEST_CASE("the dashboard shows every metric of the gateway") {
    std::string all;
    for (auto const& question : questions_of_dashboard())
        all += question.expression + "\n";
    for (auto const& [name, metric] : known_metrics()) {
        bool const is_part = std::regex_search(name, std::regex{"_(sum|count)$"});
        if (name == "up" || (metric.type == "histogram" && is_part)) continue;
        INFO(name);
        CHECK(std::regex_search(all, std::regex{"\\b" + name + "\\b"}));
    }
}

TEST_CASE("panels of the dashboard have unique numbers, and do not overlap") {
    Words numbers;
    Words places;
    auto const board = dashboard();
    for (auto const& panel : board["panels"].items) {
        INFO(panel["title"].string);
        CHECK(numbers.insert(std::to_string(panel["id"].number)).second);
        auto const& at = panel["gridPos"];
        CHECK(at["x"].number + at["w"].number <= 24);
        for (int y = 0; y < static_cast<int>(at["h"].number); ++y) {
            for (int x = 0; x < static_cast<int>(at["w"].number); ++x) {
                CHECK(places
                          .insert(std::to_string(at["x"].number + x) + " "
                                  + std::to_string(at["y"].number + y))
                          .second);
            }
        }
        if (panel["type"].string != "row") CHECK(panel["description"].string.size() > 5);
    }
}

TEST_CASE("every alert has a severity and a description, and a row in the table of its page") {
    Words named;
    for (auto const& rule : rules_of(alerts())) {
        auto const name = rule["alert"].as<std::string>();
        INFO(name);
        CHECK(named.insert(name).second);
        auto const severity = rule["labels"]["severity"].as<std::string>();
        CHECK((severity == "critical" || severity == "warning"));
        CHECK(rule["annotations"]["summary"].as<std::string>().size() > 10);
        CHECK(rule["annotations"]["description"].as<std::string>().size() > 10);
        auto const page = read_file(sources() / "deploy/monitoring/README.md");
        CHECK(page.find("| `" + name + "` | " + severity + " |") != std::string::npos);
    }
    auto const page = read_file(sources() / "deploy/monitoring/README.md");
    static std::regex const row{R"(\| `(Sallyport\w+)` \|)"};
    for (auto const& found : matches(page, row))
        CHECK(named.count(found[1]) == 1);
}

TEST_CASE("Prometheus accepts the alert rules, and each fires when it should, and not before") {
    if (!has_program("promtool")) return;
    auto const folder = sources() / "deploy/monitoring";
    auto const rules = run_promtool({"check", "rules", "alerts.yml"}, folder);
    INFO(rules.output << rules.error);
    CHECK(rules.exit_code == 0);
    auto const cases = run_promtool({"test", "rules", "alerts_test.yml"}, folder);
    INFO(cases.output << cases.error);
    CHECK(cases.exit_code == 0);

    // Each has a time at which it is silent, and one at which it fires.
    Words silent;
    Words firing;
    for (auto const& test : YAML::LoadFile(folder / "alerts_test.yml")["tests"]) {
        for (auto const& moment : test["alert_rule_test"]) {
            auto const name = moment["alertname"].as<std::string>();
            (moment["exp_alerts"].size() == 0 ? silent : firing).insert(name);
        }
    }
    Words all;
    for (auto const& rule : rules_of(alerts()))
        all.insert(rule["alert"].as<std::string>());
    CHECK(silent == all);
    CHECK(firing == all);
}

TEST_CASE("Prometheus accepts every expression of the dashboard") {
    if (!has_program("promtool")) return;
    TemporaryFolder const folder;
    std::string rules = "groups:\n  - name: dashboard\n    rules:\n";
    std::size_t number = 0;
    for (auto const& question : questions_of_dashboard()) {
        rules += "      - record: panel_" + std::to_string(number++)
                 + "\n        expr: " + sallyport::test::quoted(question.expression) + "\n";
    }
    folder.write("rules.yml", rules);
    auto const checked = run_promtool({"check", "rules", "rules.yml"}, folder.path());
    INFO(checked.output << checked.error);
    CHECK(checked.exit_code == 0);
    CHECK((checked.output + checked.error).find(std::to_string(number) + " rules found")
          != std::string::npos);
}

} // namespace e22_monitoring
