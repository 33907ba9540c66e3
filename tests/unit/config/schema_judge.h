// The JSON Schema of the configuration, evaluated by the gateway's own engine.
#pragma once

#include "config/json_schema.h"
#include "config/yaml.h"
#include "gateway/contract/validator.h"

#include <memory>
#include <string>

namespace sallyport::config::test {

class SchemaJudge {
public:
    // Throws where the schema does not load.
    explicit SchemaJudge(SectionInfo const& root);
    explicit SchemaJudge(std::string const& schema);

    [[nodiscard]] bool accepts(std::string json);
    [[nodiscard]] bool accepts(yaml::Document const& document);
    // What it had against the last one.
    [[nodiscard]] std::string const& why() const { return why_; }

private:
    std::shared_ptr<contract::Contract const> schema_;
    contract::Validator validator_;
    std::string why_;
};

} // namespace sallyport::config::test
