// The project's own files: its pages, its folders, its sources.
#pragma once

#include "tests/documentation/markdown.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sallyport::documentation {

/// SALLYPORT_SOURCES of the environment.
std::filesystem::path project_folder();

/// Paths from the project's folder, in order; without what is built, hidden or made at run time.
std::vector<std::filesystem::path> project_files();

struct Document {
    std::string path; // from the project's folder
    std::string text;
    Page page;
};

/// Every page there is, read once.
std::vector<Document> const& documents();
Document const& document(std::string const& path);

/// "page:line", for messages.
std::string place(Document const& document, std::size_t line);

/// A source file: code, a script or data that a person edits.
bool is_source(std::filesystem::path const& path);

} // namespace sallyport::documentation
