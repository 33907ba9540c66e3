// Shared code of the tests of bodies that are not JSON.
#pragma once

#include "tests/unit/contract/support.h"

#include <string>
#include <string_view>

namespace sallyport::contract::test {

/// A document with one operation, whose request body has one media type.
[[nodiscard]] inline std::string document_with(std::string_view media_type,
                                               std::string_view content,
                                               std::string_view version = "3.1.0") {
    std::string text = "openapi: ";
    text.append(version).append("\ninfo: {title: T, version: '1'}\npaths:\n  /v1/a:\n"
                                "    post:\n      operationId: send\n      requestBody:\n"
                                "        content:\n          ");
    text.append(media_type).append(": ").append(content).append("\n");
    return text + "      responses: {'200': {description: fine}}\n";
}

/// Bodies of that operation.
class BodyChecker {
public:
    BodyChecker(std::string_view media_type, std::string_view content,
                std::string_view version = "3.1.0")
        : contract_{load_document(document_with(media_type, content, version))} {}

    [[nodiscard]] Contract const& contract() const noexcept { return *contract_; }
    [[nodiscard]] MediaType const& type() const {
        return contract_->find_operation("send")->request_body->media_types.front();
    }
    [[nodiscard]] Report& check(std::string_view body, std::string_view boundary = {}) {
        return validator_.validate(type(), {Body{body}.view(), boundary},
                                   contract_->conditions_for({}), levels_);
    }
    [[nodiscard]] std::string verdict(std::string_view body, std::string_view boundary = {}) {
        return verdict_of(check(body, boundary));
    }
    void set(Level level) {
        levels_ = LevelTable::compile(*contract_, {level, level, level}, {}).table;
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
    LevelTable levels_;
};

} // namespace sallyport::contract::test
