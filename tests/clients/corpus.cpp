// Reads the corpus strictly: a spelling mistake there must not produce a test that cannot fail.
#include "tests/clients/corpus.h"

#include "tests/clients/placeholders.h"
#include "tests/support/encodings.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include <yaml-cpp/yaml.h>
#pragma GCC diagnostic pop

namespace sallyport::test {
namespace {

namespace fs = std::filesystem;

// One file while it is read: every error message begins with its place.
struct Source {
    std::string file;
    std::string_view host;

    [[noreturn]] void complain(YAML::Node const& at, std::string const& what) const {
        throw std::runtime_error(file + ":" + std::to_string(at.Mark().line + 1) + ": " + what);
    }
};

// The keys of a mapping, each known and unique: yaml-cpp would use the first of two.
void check_keys(Source const& source, YAML::Node const& node, std::set<std::string> const& known) {
    if (!node.IsMap()) source.complain(node, "this must be a mapping");
    std::set<std::string> seen;
    for (auto const& entry : node) {
        auto const key = entry.first.as<std::string>();
        if (known.count(key) == 0) source.complain(entry.first, "no such key: " + key);
        if (!seen.insert(key).second) source.complain(entry.first, "twice: " + key);
    }
}

std::string text_of(Source const& source, YAML::Node const& node, std::string const& key) {
    auto const value = node[key];
    if (!value || !value.IsScalar() || value.Scalar().empty())
        source.complain(node, key + " is missing");
    return value.Scalar();
}

std::string expand(Source const& source, YAML::Node const& node, std::string_view text,
                   PlaceholderValues const& values) {
    try {
        return replace_placeholders(text, values);
    } catch (std::exception const& error) {
        source.complain(node, error.what());
    }
}

ContentCoding coding_of(Source const& source, YAML::Node const& node) {
    if (!node) return ContentCoding::none;
    if (node.Scalar() == "gzip") return ContentCoding::gzip;
    if (node.Scalar() == "deflate") return ContentCoding::deflate;
    source.complain(node, "coding is gzip or deflate");
}

std::string coded(std::string const& content, ContentCoding coding) {
    switch (coding) {
    case ContentCoding::none: return content;
    case ContentCoding::gzip: return compress(content, Coding::gzip);
    case ContentCoding::deflate: return compress(content, Coding::zlib); // RFC 9110, 8.4.1.2
    }
    return content;
}

// The lines of `send`, each of which ends in CR LF on the wire, and the empty line after them. They
// are split before their words are replaced: a word may stand for the end of a line.
std::string head_of(Source const& source, YAML::Node const& node, PlaceholderValues const& values) {
    std::string head;
    std::string_view lines = node.Scalar();
    while (!lines.empty()) {
        auto const end = lines.find('\n');
        head.append(expand(source, node, lines.substr(0, end), values)).append("\r\n");
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
    return head + "\r\n";
}

ExpectedVerdict read_refusal(Source const& source, YAML::Node const& node) {
    check_keys(source, node, {"status", "reason", "violations", "with"});
    ExpectedVerdict verdict;
    verdict.status = node["status"].as<int>();
    verdict.reason = text_of(source, node, "reason");
    for (auto const& violation : node["violations"]) {
        if (!violation.IsSequence() || violation.size() != 2)
            source.complain(violation, "a violation is [pointer, rule]");
        verdict.violations.push_back(
            {violation[0].as<std::string>(), violation[1].as<std::string>()});
    }
    for (auto const& field : node["with"])
        verdict.fields.push_back({field.first.as<std::string>(), field.second.as<std::string>()});
    return verdict;
}

ExpectedVerdict read_verdict(Source const& source, YAML::Node const& node) {
    if (node["passes"].IsDefined() == node["refused"].IsDefined())
        source.complain(node, "either passes or refused");
    if (node["refused"]) return read_refusal(source, node["refused"]);
    ExpectedVerdict verdict;
    verdict.status = node["passes"].as<int>();
    return verdict;
}

Case read_case(Source const& source, YAML::Node const& node, std::string const& client) {
    check_keys(source, node,
               {"name", "client", "why", "send", "body", "arrives", "coding", "chunks", "passes",
                "refused"});
    Case one;
    one.group = fs::path{source.file}.stem().string();
    one.name = text_of(source, node, "name");
    one.why = text_of(source, node, "why");
    one.client = node["client"] ? text_of(source, node, "client") : client;
    if (one.client.empty()) source.complain(node, "client is missing");
    one.coding = coding_of(source, node["coding"]);
    if (node["chunks"]) one.chunk = node["chunks"].as<std::size_t>();
    PlaceholderValues values{std::string{source.host}, {}};
    if (node["body"]) one.content = expand(source, node["body"], node["body"].Scalar(), values);
    auto const written = coded(one.content, one.coding);
    one.body = one.chunk == 0 ? written : chunked(written, one.chunk);
    values.length = std::to_string(written.size());
    // For a body with hand-written framing.
    if (node["arrives"]) one.content = expand(source, node, node["arrives"].Scalar(), values);
    text_of(source, node, "send");
    one.head = head_of(source, node["send"], values);
    one.expected = read_verdict(source, node);
    return one;
}

std::vector<Case> read_file_of_cases(fs::path const& path, std::string_view host) {
    Source const source{path.filename().string(), host};
    auto const root = YAML::LoadFile(path.string());
    check_keys(source, root, {"about", "client", "cases"});
    text_of(source, root, "about");
    std::string const client = root["client"] ? text_of(source, root, "client") : std::string{};
    std::vector<Case> cases;
    for (auto const& node : root["cases"])
        cases.push_back(read_case(source, node, client));
    if (cases.empty()) source.complain(root, "there are no cases");
    return cases;
}

} // namespace

std::optional<Request> Case::request() const {
    try {
        auto parsed = parse_request(bytes());
        if (!parsed || parsed->size != bytes().size()) return {};
        return std::move(parsed->message);
    } catch (BadMessage const&) {
        return {};
    }
}

std::string host_of(std::uint16_t port) {
    return "localhost:" + std::to_string(port);
}

std::filesystem::path clients_folder() {
    auto const* folder = std::getenv("SALLYPORT_CLIENTS");
    if (folder == nullptr)
        throw std::runtime_error("SALLYPORT_CLIENTS does not name the folder of the corpus");
    return folder;
}

std::vector<Case> read_corpus(std::filesystem::path const& folder, std::string_view host) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator{folder})
        if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Case> corpus;
    std::set<std::string> labels;
    for (auto const& file : files) {
        for (auto& one : read_file_of_cases(file, host)) {
            if (!labels.insert(one.label()).second)
                throw std::runtime_error("a name that is there twice: " + one.label());
            corpus.push_back(std::move(one));
        }
    }
    return corpus;
}

} // namespace sallyport::test
