// The record of requests: whole lines, any bytes, readable only by the owner.
#include "deploy/sandbox/recorder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace recorder_test {

using namespace sallyport::sandbox;

TEST_CASE("a record that cannot be opened is an error with its path") {
    CHECK_THROWS_WITH(Recorder{"/nowhere/at/all"}, Catch::Contains("/nowhere/at/all"));
}

TEST_CASE("each request is one line, its body in base64, readable only by the owner") {
    std::string path = "/tmp/sallyport-record-XXXXXX";
    int const file = ::mkstemp(path.data());
    REQUIRE(file >= 0);
    ::close(file);
    ::unlink(path.c_str());
    {
        Recorder recorder{path};
        recorder.write({"PUT", "/a?b", {{"Host", "h"}, {"X", "1"}, {"X", "\"2\""}}, "\n\xff\x01"});
        recorder.write({"GET", "/", {}, ""});
    }
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    std::ifstream stream{path};
    std::string const text{std::istreambuf_iterator<char>{stream}, {}};
    ::unlink(path.c_str());
    CHECK(text
          == R"({"method":"PUT","target":"/a?b","fields":[["Host","h"],["X","1"],["X","\"2\""]],)"
             R"("body":"Cv8B"})"
             "\n"
             R"({"method":"GET","target":"/","fields":[],"body":""})"
             "\n");
}

} // namespace recorder_test
