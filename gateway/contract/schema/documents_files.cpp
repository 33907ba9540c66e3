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

// Steps out of a folder at the beginning of a path.
enum class StepsOut : std::uint8_t { refused, allowed };

// The path below a folder, without empty segments and steps that lead nowhere, as a file system
// reads it; empty: the URI has none that stays inside it, but for such steps.
[[nodiscard]] std::string relative_path(std::string_view uri,
                                        StepsOut steps = StepsOut::refused) {
    auto const decoded = text::percent_decoded(path_of_uri(uri));
    if (!decoded) return {};
    auto const is_bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; };
    if (std::any_of(decoded->begin(), decoded->end(), is_bad)) return {};
    std::vector<std::string_view> segments;
    for (std::string_view rest = *decoded; !rest.empty();) {
        std::size_t const end = std::min(rest.find('/'), rest.size());
        auto const segment = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (segment.empty() || segment == ".") continue;
        if (segment != ".." || segments.empty() || segments.back() == "..") {
            segments.push_back(segment);
        } else {
            segments.pop_back();
        }
    }
    bool const steps_out = !segments.empty() && segments.front() == "..";
    if (steps_out && steps == StepsOut::refused) return {};
    std::string path;
    for (auto const segment : segments)
        path += (path.empty() ? "" : "/") + std::string{segment};
    return path;
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

// The file beside the document, or below its folder, that a relative reference names; empty: there
// is none, and `missing` says why.
std::string Documents::find_beside(std::string const& uri, Missing& missing) {
    bool const is_path = path_of_uri(uri) == uri;
    if (own_folder_ && is_path && uri.starts_with('/')) {
        missing = {"is an absolute path, which leads to no file: only those in the folder of the "
                   "document are read",
                   "write its path from the folder of the file that refers to it"};
    }
    if (!own_folder_ || !is_path || uri.starts_with('/')) return {};
    auto const steps = outer_folder_ ? StepsOut::allowed : StepsOut::refused;
    std::string const path = relative_path(uri, steps);
    if (!text::percent_decoded(uri)) {
        missing = {"has an invalid escape", "write % as %25"};
        return {};
    }
    if (path.empty()) {
        missing = {"is not a path below the folder of the document, and only such files are read",
                   "put the file into that folder, or allow the folder around both: "
                   "contract_folder of the API, --folder of a command"};
        return {};
    }
    fs::path const folder{*own_folder_};
    std::string const file = (folder / path).string();
    files_beside_.push_back(file);
    std::error_code ec;
    fs::path const real = fs::canonical(file, ec);
    if (ec || !fs::is_regular_file(real, ec)) {
        missing = {"is not a known document: there is no file " + file,
                   "write its path from the folder of the file that refers to it"};
        return {};
    }
    fs::path const outermost{outer_folder_.value_or(*own_folder_)};
    fs::path const real_folder = fs::canonical(outermost.empty() ? fs::path{"."} : outermost, ec);
    auto const [rest, other] =
        std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end());
    if (ec || rest != real_folder.end()) {
        missing = outer_folder_ ? Missing{"leads out of the folder " + outermost.string(),
                                          "put the file itself there"}
                                : Missing{"leads out of the folder of the document, by a symbolic "
                                          "link",
                                          "put the file itself there"};
        return {};
    }
    return file;
}

// The file of a URI: beside the document, or in a folder of schemas; empty: there is none, or it is
// ambiguous.
std::string Documents::choose_file(std::string const& uri, Missing& missing) {
    missing = {"is not a known document", hint_for_unknown()};
    std::string in_folder = find_file(uri);
    std::string beside = find_beside(uri, missing);
    if (beside.empty() || in_folder.empty() || name_of_file(beside) == name_of_file(in_folder)) {
        return beside.empty() ? in_folder : beside;
    }
    missing = {"refers to " + beside + " and to " + in_folder,
               "remove one of the two, or give it another name"};
    return {};
}

bool Documents::load(std::string const& uri, Missing& missing) {
    if (owned_.size() >= max_documents) {
        missing = {"is one document too many: a contract may refer to "
                       + std::to_string(max_documents),
                   "put several schemas into one document"};
        return false;
    }
    auto const text = find_metaschema(uri);
    std::string const file = text.empty() ? choose_file(uri, missing) : std::string{};
    if (text.empty() && file.empty()) return false;
    // The document is also known by the URI of this reference, whatever its `$id` is (core, 9.1.2
    // and 9.2.2); and a file that was read with another URI is not read again.
    auto const known = text.empty() ? by_file_.find(name_of_file(file)) : by_file_.end();
    if (known != by_file_.end()) {
        by_uri_.emplace(uri, known->second);
        return true;
    }
    if (text.empty()) {
        if (!read(uri, file, missing)) return false;
    } else {
        owned_.push_back(std::make_unique<yaml::Document>(yaml::load_text(text, uri)));
    }
    auto const steps = std::move(steps_);
    index_document(owned_.back()->root(), uri, vocabularies_);
    steps_ = steps;
    Resource const* const whole = resource_at(owned_.back()->root());
    by_uri_.emplace(uri, whole);
    if (text.empty()) by_file_.emplace(name_of_file(file), whole);
    return true;
}

// Reads a file into owned_; false: it cannot be used.
bool Documents::read(std::string const& uri, std::string const& file, Missing& missing) {
    auto const content = config::read_file(file, yaml::max_file_size);
    if (!content.problem.empty()) {
        missing = {"cannot be read: " + file + ": " + content.problem, {}};
        return false;
    }
    bytes_of_files_ += content.text.size();
    if (bytes_of_files_ > max_bytes_of_files) {
        missing = {"is too much: the files that a contract refers to may have "
                       + std::to_string(max_bytes_of_files) + " bytes together",
                   "refer to smaller files"};
        return false;
    }
    auto document =
        std::make_unique<yaml::Document>(yaml::load_text(content.text, file, yaml::Syntax::full));
    problems_.add_all(document->problems());
    if (document->has_errors()) {
        missing = {"cannot be read: see " + file, "correct that file"};
        return false;
    }
    if (std::string const other = find_same_id(document->root(), file, uri); !other.empty()) {
        missing = {"refers to " + file + ", whose $id is also that of " + other,
                   "give one of the two another $id, or remove it"};
        return false;
    }
    owned_.push_back(std::move(document));
    return true;
}

Resource const* Documents::find(std::string const& uri, Missing& missing) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    if (!load(uri, missing)) return nullptr;
    return by_uri_.at(uri);
}

} // namespace sallyport::contract
