// The documents that schemas are read from: files of the configured folders, and metaschemas.
#include "config/text.h"
#include "gateway/contract/schema/documents.h"
#include "gateway/contract/text/uri.h"
#include "gateway/text/percent.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

namespace fs = std::filesystem;

// The path below a folder; empty: the URI has none that stays inside it.
[[nodiscard]] std::string relative_path(std::string_view uri) {
    auto decoded = text::percent_decoded(path_of_uri(uri));
    if (!decoded) return {};
    std::string& path = *decoded;
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
        // A file that cannot be read is reported when a reference refers to it by its path.
        for (; !ec && file != fs::recursive_directory_iterator{}; file.increment(ec)) {
            std::error_code ignored;
            if (!is_document(file->path()) || !file->is_regular_file(ignored)) continue;
            if (++count > max_documents) break;
            auto const document = yaml::load_file(file->path().string(), yaml::Syntax::full);
            if (!document.is_whole()) continue;
            Node const* const id = document.root().find("$id");
            if (id == nullptr || !id->is_string()) continue;
            std::string const key{split_fragment(id->text()).uri};
            identities_[key].push_back(file->path().string());
        }
    }
    // The order of files in a folder is not defined.
    for (auto& [id, files] : identities_)
        std::sort(files.begin(), files.end());
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
    return known == identities_.end() ? std::string{} : known->second.front();
}

// Another file of the folders with the same `$id` as one that was read; empty: there is none. It is
// ambiguous which of them a reference refers to.
std::string Documents::find_same_id(Node const& root, std::string const& file,
                                    std::string const& uri) {
    Node const* const id = root.find("$id");
    if (id == nullptr || !id->is_string()) return {};
    std::string const key{split_fragment(id->text()).uri};
    // A relative `$id` may occur in files of other folders.
    if (key != uri && key != resolve_uri(uri, key)) return {};
    if (!has_identities_) read_identities();
    auto const known = identities_.find(key);
    if (known == identities_.end()) return {};
    std::string const own = name_of_file(file);
    auto const other =
        std::find_if(known->second.begin(), known->second.end(),
                     [&own](std::string const& one) { return name_of_file(one) != own; });
    return other == known->second.end() ? std::string{} : *other;
}

std::string Documents::hint_for_unknown() const {
    return folders_.empty()
               ? "name a folder of schemas that contains it, or copy it into this document"
               : "put it into the folder of schemas, as its path or with this $id, or copy it into "
                 "this document";
}

bool Documents::load(std::string const& uri, Missing& missing) {
    missing.hint = hint_for_unknown();
    if (owned_.size() >= max_documents) {
        missing = {"is one document too many: a contract may refer to "
                       + std::to_string(max_documents),
                   "put several schemas into one document"};
        return false;
    }
    auto const text = find_metaschema(uri);
    std::string const file = text.empty() ? find_file(uri) : std::string{};
    if (text.empty() && file.empty()) {
        missing.error = "is not a known document";
        return false;
    }
    // The document is also known by the URI of this reference, whatever its `$id` is (core, 9.1.2
    // and 9.2.2); and a file that was read with another URI is not read again.
    auto const known = text.empty() ? by_file_.find(name_of_file(file)) : by_file_.end();
    if (known != by_file_.end()) {
        by_uri_.emplace(uri, known->second);
        return true;
    }
    auto document = std::make_unique<yaml::Document>(
        text.empty() ? yaml::load_file(file, yaml::Syntax::full) : yaml::load_text(text, uri));
    problems_.add_all(document->problems());
    if (document->has_errors()) {
        missing = {"cannot be read: see " + file, "correct that file"};
        return false;
    }
    if (std::string const other =
            text.empty() ? find_same_id(document->root(), file, uri) : std::string{};
        !other.empty()) {
        missing = {"refers to " + file + ", whose $id is also that of " + other,
                   "give one of the two another $id, or remove it"};
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

Resource const* Documents::find(std::string const& uri, Missing& missing) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    if (!load(uri, missing)) return nullptr;
    return by_uri_.at(uri);
}

} // namespace sallyport::contract
