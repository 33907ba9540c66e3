// The documents that schemas are read from: those outside the one being loaded.
#include "config/text.h"
#include "gateway/contract/schema/documents.h"
#include "gateway/contract/text/uri.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

namespace fs = std::filesystem;

// A path below a folder; empty: the URI has none that stays in it.
[[nodiscard]] std::string relative_path(std::string_view uri) {
    std::string path;
    if (!percent_decode(path_of_uri(uri), path)) return {};
    std::size_t const begin = std::min(path.find_first_not_of('/'), path.size());
    path.erase(0, begin);
    for (std::string_view rest = path; !rest.empty();) {
        std::size_t const end = std::min(rest.find('/'), rest.size());
        auto const segment = rest.substr(0, end);
        if (segment.empty() || segment == "." || segment == "..") return {};
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    auto const is_bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; };
    return std::any_of(path.begin(), path.end(), is_bad) ? std::string{} : path;
}

[[nodiscard]] bool is_document(fs::path const& path) {
    auto const extension = path.extension();
    return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

} // namespace

std::string Documents::name_of_file(std::string const& path) {
    std::error_code ec;
    fs::path const name = fs::canonical(path, ec);
    return ec ? path : name.string();
}

void Documents::read_identities() {
    has_identities_ = true;
    std::size_t count = 0;
    for (std::string const& folder : folders_) {
        std::error_code ec;
        fs::recursive_directory_iterator file{folder, ec};
        // Files that cannot be read are told of when something refers to them by their path.
        for (; !ec && file != fs::recursive_directory_iterator{}; file.increment(ec)) {
            std::error_code ignored;
            if (!is_document(file->path()) || !file->is_regular_file(ignored)) continue;
            if (++count > max_documents) return;
            auto const document = yaml::load_file(file->path().string());
            if (!document.is_whole()) continue;
            Node const* const id = document.root().find("$id");
            if (id == nullptr || !id->is_string()) continue;
            identities_.emplace(split_fragment(id->text()).uri, file->path().string());
        }
    }
}

std::string Documents::find_file(std::string const& uri) {
    if (folders_.empty()) return {};
    if (std::string const path = relative_path(uri); !path.empty()) {
        for (std::string const& folder : folders_) {
            fs::path const whole = fs::path{folder} / path;
            std::error_code ec;
            if (fs::is_regular_file(whole, ec)) return whole.string();
        }
    }
    if (!has_identities_) read_identities();
    auto const known = identities_.find(uri);
    return known == identities_.end() ? std::string{} : known->second;
}

bool Documents::load(std::string const& uri, std::string& error) {
    if (owned_.size() >= max_documents) {
        error = "is one document too many";
        return false;
    }
    auto const text = find_metaschema(uri);
    std::string const file = text.empty() ? find_file(uri) : std::string{};
    if (text.empty() && file.empty()) {
        error = "is no document that is known";
        return false;
    }
    // Known by the URI that led here too, whatever its `$id` says (core, 9.1.2 and 9.2.2); and a
    // file that was read under another one is not read again.
    auto const known = text.empty() ? by_file_.find(name_of_file(file)) : by_file_.end();
    if (known != by_file_.end()) {
        by_uri_.emplace(uri, known->second);
        return true;
    }
    auto document = std::make_unique<yaml::Document>(text.empty() ? yaml::load_file(file)
                                                                  : yaml::load_text(text, uri));
    for (auto const& problem : document->problems()) {
        problems_.add_at(problem.where, problem.path, problem.what, problem.hint, problem.severity);
    }
    if (document->has_errors()) {
        error = "cannot be read: see " + file;
        return false;
    }
    owned_.push_back(std::move(document));
    auto const steps = std::move(steps_);
    index_document(owned_.back()->root(), uri, vocabularies_);
    steps_ = steps;
    Resource const* const whole = resource_at(owned_.back()->root());
    by_uri_.emplace(uri, whole);
    if (text.empty()) by_file_.emplace(name_of_file(file), whole);
    return true;
}

Resource const* Documents::find(std::string const& uri, std::string& error) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    if (!load(uri, error)) return nullptr;
    return by_uri_.at(uri);
}

} // namespace sallyport::contract
