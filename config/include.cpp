// Joins a configuration with the files that it names: see include.h.
#include "config/include.h"

#include "config/load.h"
#include "config/patterns.h"
#include "config/resolver.h"
#include "config/text.h"
#include "config/yaml_builder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <fnmatch.h>

namespace sallyport::config {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view key_name = "include";
constexpr std::string_view pattern_characters = "*?[";

bool is_pattern(std::string_view path) {
    return path.find_first_of(pattern_characters) != std::string_view::npos;
}

std::optional<File> read_include(Reader& reader, Value const& value) {
    // Before anything else: what a reference stands for would be looked up.
    if (value.node->is_string() && value.node->text().find('$') != std::string::npos) {
        reader.refuse(value, Reader::shown(value) + " has a '$', and references are not read here",
                      "write the path itself");
        return std::nullopt;
    }
    auto file = reader.read_file(value);
    if (!file) return std::nullopt;
    std::string const& text = value.node->text();
    std::size_t const slash = text.rfind('/');
    if (slash != std::string::npos && is_pattern(std::string_view{text}.substr(0, slash))) {
        reader.refuse(value, in_quotes(text) + " has a pattern in the name of a folder",
                      "write a pattern only behind the last '/'");
        return std::nullopt;
    }
    if (slash != std::string::npos && slash + 1 == text.size()) {
        reader.refuse(value, in_quotes(text) + " is a folder",
                      "write " + in_quotes(text + "*.yaml"));
        return std::nullopt;
    }
    return file;
}

// Finds and reads the files, in the order of `include`.
class Files {
public:
    explicit Files(std::string const& main) {
        if (!main.empty()) seen_.insert(identity_of(main));
    }

    void add(File const& entry) {
        if (is_pattern(fs::path{entry.path}.filename().string())) {
            add_matches(entry);
        } else if (!seen_.insert(identity_of(entry.path)).second) {
            refuse(entry, in_quotes(entry.path) + " is already part of the configuration",
                   "remove it here");
        } else {
            read(entry);
        }
    }

    void add_problems(yaml::Problems const& problems) {
        problems_.insert(problems_.end(), problems.begin(), problems.end());
    }
    void set_incomplete() { is_complete_ = false; }

    [[nodiscard]] std::vector<yaml::Document> const& documents() const { return documents_; }
    [[nodiscard]] Folders take_folders() { return std::move(folders_); }
    [[nodiscard]] std::vector<File> take_files() { return std::move(files_); }
    [[nodiscard]] yaml::Problems take_problems() { return std::move(problems_); }
    [[nodiscard]] bool is_complete() const { return is_complete_; }

private:
    // The same file by another path or link is the same.
    static std::string identity_of(std::string const& path) {
        std::error_code error;
        auto const real = fs::canonical(path, error);
        return error ? path : real.string();
    }

    void refuse(File const& entry, std::string what, std::string hint) {
        problems_.push_back(problem_at(entry.origin, std::move(what), std::move(hint)));
    }

    void fail(File const& entry, std::string what, std::string hint) {
        refuse(entry, std::move(what), std::move(hint));
        is_complete_ = false;
    }

    void add_matches(File const& entry) {
        fs::path const path{entry.path};
        std::string const folder = path.parent_path().empty() ? "." : path.parent_path().string();
        files_.push_back({(fs::path{folder} / ".").string(), entry.origin});
        std::error_code error;
        std::vector<std::string> names;
        fs::directory_iterator each{folder, error};
        for (; !error && each != fs::directory_iterator{}; each.increment(error)) {
            std::string name = each->path().filename().string();
            // A name that begins with '.' matches no pattern: editors and orchestrators have theirs
            // there.
            if (name[0] == '.') continue;
            if (::fnmatch(path.filename().c_str(), name.c_str(), FNM_NOESCAPE) != 0) continue;
            names.push_back(std::move(name));
            // Even without those that are left out there are too many.
            if (names.size() > most_included_files + seen_.size()) break;
        }
        if (error) {
            fail(entry, "the folder " + in_quotes(folder) + " cannot be read: " + error.message(),
                 "write the path of a folder that the gateway may read");
            return;
        }
        std::sort(names.begin(), names.end());
        bool is_any = false;
        for (std::string const& name : names) {
            File const file{(path.parent_path() / name).string(), entry.origin};
            bool const is_new = seen_.insert(identity_of(file.path)).second;
            is_any = is_any || is_new;
            if (is_new && !read(file)) return;
        }
        if (is_any) return;
        problems_.push_back(problem_at(entry.origin,
                                       "there is no " + std::string{names.empty() ? "" : "other "}
                                           + "file " + in_quotes(entry.path),
                                       "add one, or remove the pattern", yaml::Severity::warning));
    }

    // Whether there may be more.
    bool read(File const& file) {
        if (++count_ > most_included_files) {
            fail(file, "more than " + std::to_string(most_included_files) + " files are included",
                 "join some of them");
            return false;
        }
        files_.push_back(file);
        // To open a pipe would wait for its writer.
        std::error_code ignored;
        auto const type = fs::status(file.path, ignored).type();
        bool const is_other = type != fs::file_type::regular && type != fs::file_type::directory
                              && type != fs::file_type::not_found && type != fs::file_type::none
                              && type != fs::file_type::unknown;
        FileText const text =
            is_other ? FileText{{}, "it is not a file"} : read_file(file.path, yaml::max_file_size);
        if (!text.problem.empty()) {
            problems_.push_back(unreadable(file, text.problem));
            is_complete_ = false;
            return true;
        }
        bytes_ += text.text.size();
        if (bytes_ > yaml::max_file_size) {
            fail(file,
                 "the included files are larger than " + std::to_string(yaml::max_file_size)
                     + " bytes together",
                 "include less");
            return false;
        }
        add_document(yaml::load_text(text.text, file.path), file.path);
        return true;
    }

    void add_document(yaml::Document document, std::string const& path) {
        add_problems(document.problems());
        yaml::Node const& root = document.root();
        if (document.is_whole() && root.is_mapping()) {
            folders_.of_others[root.mark().file] = folder_of(path);
            documents_.push_back(std::move(document));
            return;
        }
        is_complete_ = false;
        if (!document.is_whole()) return;
        // A file that is empty is one that is about to be written, more often than not.
        problems_.push_back(yaml::problem_at(
            root, {},
            root.is_null() ? "the file is empty"
                           : "must be a mapping, not " + std::string{yaml::name_of(root.kind())},
            "write sections of the configuration, such as apis: { ... }"));
    }

    std::set<std::string> seen_;
    std::vector<yaml::Document> documents_;
    Folders folders_;
    std::vector<File> files_;
    yaml::Problems problems_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    bool is_complete_ = true;
};

using Parts = std::vector<yaml::Entry const*>; // of one key, in the order of the files

void refuse_second(Reader& reader, Origin const& origin, yaml::Mark const& first) {
    reader.refuse(origin,
                  "given twice, first in " + std::string{first.file_name()} + ':'
                      + std::to_string(first.line),
                  "keep one of them");
}

yaml::Node join_lists(Reader& reader, Parts const& parts) {
    std::vector<yaml::Node> items;
    for (auto const* const part : parts) {
        for (Value const& item :
             reader.read_list({&part->value, Path{}.key(part->key)}, Empty::refused))
            items.push_back(*item.node);
    }
    // Without any the first one is what is wrong.
    if (items.empty()) return parts[0]->value;
    return yaml::Builder::list_of(parts[0]->value.mark(), std::move(items));
}

yaml::Node join_names(Reader& reader, Parts const& parts) {
    std::vector<yaml::Entry> entries;
    std::map<std::string, yaml::Mark> seen;
    for (auto const* const part : parts) {
        for (auto const& [name, mark, value] :
             reader.read_named({&part->value, Path{}.key(part->key)}, Empty::refused)) {
            auto const [first, is_new] = seen.emplace(name, mark);
            if (is_new) {
                entries.push_back({name, mark, *value.node});
            } else {
                refuse_second(reader, {mark, value.path}, first->second);
            }
        }
    }
    if (entries.empty()) return parts[0]->value;
    return yaml::Builder::mapping_of(parts[0]->value.mark(), std::move(entries));
}

// One section of all files.
yaml::Entry join_section(Reader& reader, Parts const& parts) {
    yaml::Entry const& first = *parts[0];
    if (parts.size() == 1) return first;
    bool const is_list = first.key == "listeners";
    if (is_list || first.key == "upstreams" || first.key == "apis") {
        auto joined = is_list ? join_lists(reader, parts) : join_names(reader, parts);
        return {first.key, first.mark, std::move(joined)};
    }
    for (auto part = parts.begin() + 1; part != parts.end(); ++part)
        refuse_second(reader, {(*part)->mark, first.key}, first.mark);
    return first;
}

// The sections of all files, in the order in which they are first met.
std::vector<yaml::Entry> join_sections(Reader& reader, yaml::Document const& main,
                                       std::vector<yaml::Document> const& included) {
    std::vector<Parts> sections;
    std::map<std::string_view, std::size_t> places;
    auto const add = [&](yaml::Entry const& entry) {
        auto const [place, is_new] = places.emplace(entry.key, sections.size());
        if (is_new) sections.emplace_back();
        sections[place->second].push_back(&entry);
    };
    for (auto const& entry : main.root().entries())
        if (entry.key != key_name) add(entry);
    for (auto const& document : included) {
        for (auto const& entry : document.root().entries()) {
            if (entry.key != key_name) {
                add(entry);
                continue;
            }
            reader.refuse(Origin{entry.mark, entry.key}, "an included file includes no others",
                          "write it in " + std::string{main.root().mark().file_name()});
        }
    }
    std::vector<yaml::Entry> joined;
    joined.reserve(sections.size());
    for (auto const& parts : sections)
        joined.push_back(join_section(reader, parts));
    return joined;
}

} // namespace

KeyInfo include_info() {
    Shape path = file_shape(include_pattern());
    path.references = References::not_read;
    return {key_name, list_shape(std::move(path), 1, static_cast<std::int64_t>(most_includes)),
            "files with more of the configuration; the last name of a path may be a pattern, such "
            "as apis/*.yaml"};
}

std::vector<File> read_includes(Reader& reader, Value const& value) {
    std::vector<File> out;
    auto const entries = reader.read_list(value, Empty::refused);
    if (entries.size() > most_includes) {
        reader.refuse(value, "has more than " + std::to_string(most_includes) + " entries",
                      "write a pattern for many files, such as apis/*.yaml");
        return out;
    }
    for (Value const& entry : entries)
        if (auto file = read_include(reader, entry)) out.push_back(std::move(*file));
    return out;
}

SectionInfo included_info(SectionInfo const& config) {
    SectionInfo out = config;
    std::erase_if(out.keys, [](KeyInfo const& key) { return key.name == key_name; });
    for (KeyInfo& key : out.keys)
        key.presence = Presence::optional;
    out.rules.others_have = {};
    return out;
}

bool has_includes(yaml::Document const& document) {
    return document.is_whole() && document.root().find(key_name) != nullptr;
}

Joined join_includes(yaml::Document const& document, std::string const& path,
                     std::string const& folder) {
    yaml::Node const& root = document.root();
    // Nothing is resolved: neither paths nor the joined values.
    Resolver const resolver;
    Reader reader{resolver, {folder}};
    Files files{path};
    auto const entries = read_includes(reader, Reader::child({&root, {}}, key_name));
    auto const misspelt = reader.take_problems();
    if (!misspelt.empty()) files.set_incomplete();
    for (File const& entry : entries)
        files.add(entry);

    auto sections = join_sections(reader, document, files.documents());
    yaml::Problems problems = document.problems();
    for (auto const& more : {misspelt, files.take_problems(), reader.take_problems()})
        problems.insert(problems.end(), more.begin(), more.end());
    Joined out{yaml::Document{std::make_unique<yaml::Node>(
                                  yaml::Builder::mapping_of(root.mark(), std::move(sections))),
                              yaml::Extent::whole, std::move(problems)},
               files.take_folders(), files.take_files(), files.is_complete()};
    out.folders.folder = folder;
    return out;
}

} // namespace sallyport::config
