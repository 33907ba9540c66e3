// Other validators over the same bodies and schemas.
#include "tests/bench/contract_others.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#ifdef SALLYPORT_HAS_RAPIDJSON
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>
#endif

namespace sallyport::bench {

#ifdef SALLYPORT_HAS_RAPIDJSON

struct RapidJson::State {
    explicit State(Sample const& sample) {
        rapidjson::Document document;
        document.Parse(sample.schema.c_str());
        if (document.HasParseError()) throw std::runtime_error{"RapidJSON reads no schema"};
        schema = std::make_unique<rapidjson::SchemaDocument>(document);
        validator = std::make_unique<rapidjson::SchemaValidator>(*schema);
    }
    std::unique_ptr<rapidjson::SchemaDocument> schema;
    std::unique_ptr<rapidjson::SchemaValidator> validator;
    rapidjson::Reader reader;
};

RapidJson::RapidJson(Sample const& sample) : state_{new State{sample}} {}
RapidJson::~RapidJson() {
    delete state_;
}
bool RapidJson::is_here() noexcept {
    return true;
}
bool RapidJson::is_valid(std::string const& body) {
    state_->validator->Reset();
    rapidjson::StringStream stream{body.c_str()};
    constexpr unsigned flags = rapidjson::kParseValidateEncodingFlag;
    return !state_->reader.Parse<flags>(stream, *state_->validator).IsError()
           && state_->validator->IsValid();
}

#else

RapidJson::RapidJson(Sample const&) : state_{nullptr} {}
RapidJson::~RapidJson() = default;
bool RapidJson::is_here() noexcept {
    return false;
}
bool RapidJson::is_valid(std::string const&) {
    return false;
}

#endif

std::optional<double> measure_ajv(Sample const& sample, AjvInput input) {
    std::string name = "/tmp/sallyport-bench-XXXXXX";
    int const file = ::mkstemp(name.data());
    if (file < 0) return std::nullopt;
    {
        std::ofstream out{name};
        out << sample.schema << '\n' << sample.body;
    }
    std::string const command = "node " SALLYPORT_SOURCE_FOLDER "/tests/bench/contract_ajv.js "
                                + name + (input == AjvInput::text ? " text" : " bytes")
                                + " 2>/dev/null";
    std::optional<double> found;
    if (FILE* const pipe = ::popen(command.c_str(), "r"); pipe != nullptr) {
        double nanoseconds = 0;
        if (std::fscanf(pipe, "%lf", &nanoseconds) == 1) found = nanoseconds;
        ::pclose(pipe);
    }
    std::remove(name.c_str());
    return found;
}

} // namespace sallyport::bench
