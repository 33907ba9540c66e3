// Lines of JSON to requests.
#include "tests/clients/record.h"

#include "tests/support/json.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <iterator>

namespace sallyport::test {

std::vector<Recorded> Record::next() {
    std::ifstream file{path_, std::ios::binary};
    file.seekg(static_cast<std::streamoff>(read_));
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    std::vector<Recorded> requests;
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        auto const line = Json::parse(std::string_view{text}.substr(begin, end - begin));
        Recorded request{line.text("method"), line.text("target"), {}, line.text("body")};
        for (auto const& field : line["fields"].items)
            request.fields.push_back({field[0].string, field[1].string});
        requests.push_back(std::move(request));
        begin = end + 1;
    }
    read_ += begin;
    return requests;
}

std::string Record::whole() const {
    return read_file(path_);
}

} // namespace sallyport::test
