// The events of the gateway's own log: their page has a row for each that the code writes, and for
// no other.
#include "tests/documentation/project.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <regex>
#include <set>

namespace events_test {

using namespace sallyport::documentation;
using namespace sallyport;

namespace {

// The names between `control_log.write(` and the first field or the end of the call.
std::set<std::string> written_events() {
    static std::regex const word{R"re("([a-z_]+)")re"};
    std::set<std::string> events;
    for (auto const& file : project_files()) {
        if (file.extension() != ".cpp" || file.begin()->string() != "gateway") continue;
        auto const text = test::read_file(project_folder() / file);
        for (auto const* start : {"control_log.write(", "control_log_.write("}) {
            for (auto at = text.find(start); at != std::string::npos;
                 at = text.find(start, at + 1)) {
                auto const call =
                    text.substr(at, std::min(text.find("{{", at), text.find(");", at)) - at);
                for (std::sregex_iterator found{call.begin(), call.end(), word}, end; found != end;
                     ++found)
                    events.insert((*found)[1]);
            }
        }
    }
    // The control log's own, which it writes itself.
    auto const control_log = test::read_file(project_folder() / "gateway/observe/control_log.cpp");
    if (control_log.find("\"control_lines_lost\"") != std::string::npos)
        events.insert("control_lines_lost");
    return events;
}

} // namespace

TEST_CASE("every event of the gateway's own log is in its page, and no other is") {
    std::set<std::string> documented;
    bool in_table = false;
    std::size_t last = 0;
    for (auto const& row : document("deploy/watching.md").page.rows) {
        if (row.line != last + 1) in_table = row.cells.at(0) == "event";
        last = row.line;
        if (!in_table) continue;
        for (auto const& word : code_words(row.cells[0]))
            documented.insert(word);
    }
    CHECK(written_events().size() > 15);
    CHECK(documented == written_events());
}

} // namespace events_test
