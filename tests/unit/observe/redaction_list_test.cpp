// A secret's name is found in longer names as whole words, for every separation of words, and
// exceptions apply only where they should.
#include "gateway/observe/redaction_list.h"

#include <catch2/catch.hpp>

#include <string>

namespace redaction_list_test {

using namespace sallyport::observe;

namespace {

// In each way in which the list is searched: alone, with escapes, and (in redact_test.cpp) in a
// body.
bool is_listed(RedactionList const& list, std::string const& name) {
    bool const is_listed = list.has(name);
    CHECK(list.has_escaped(name) == is_listed);
    return is_listed;
}

} // namespace

TEST_CASE(
    "a name that contains a secret's name as whole words is listed, however words are separated") {
    auto const name = GENERATE(
        as<std::string>{}, "userPassword", "passwordConfirmation", "oldPasswordValue",
        "new_password", "password_new", "new-password", "db.password", "password.db", "user:token",
        "user token", "token/1", "password2", "2password", "token2Value", "x-api-key", "X-API-KEY",
        "APIKey", "userAPIKey", "userAPIKeyValue", "APIKeyValue", "my_api_key_2", "myApi_key",
        "HTTPToken", "dbSECRETValue", "awsSecretAccessKeyOfUser", "idToken", "id_token",
        "session-token", "csrfToken", "clientSecretBasic", "proxy-authorization",
        "userCredentials", "password[]", "$password", "@token", "filter[password]", "keySecretHash",
        "signedUploadUrl", "the private key of it", "databaseConnectionStringForReading");
    CAPTURE(name);
    CHECK(is_listed(RedactionList{}, name));
}

TEST_CASE("the plural of a secret's name is listed") {
    auto const name = GENERATE(as<std::string>{}, "passwords", "tokens", "secrets", "apiKeys",
                               "userAPIKeys", "API_KEYS", "user_passwords", "tokensOfUser",
                               "accessTokens2", "private-keys", "authorizations", "passwordHashes");
    CAPTURE(name);
    CHECK(is_listed(RedactionList{}, name));
}

TEST_CASE("a part of a word does not match") {
    auto const name = GENERATE(
        as<std::string>{}, "passwordless", "userpassword", "tokenize", "tokenizerName", "betoken",
        "secretary", "secretariatId", "Secretly", "keyboard", "apiKeyboard", "mapiKey", "bapi_key",
        "accessKeystone", "TOKENIZER", "userTOKENize", "PASSWORDed", "authorizationed",
        "uploadUrlish", "key", "keys", "access", "upload", "private_keyring", "\u00e9token",
        "token\u00e9", "connection", "string", "tokenss", "passwordsy", "ssecret");
    CAPTURE(name);
    CHECK_FALSE(is_listed(RedactionList{}, name));
}

TEST_CASE("a name that only describes a secret is not listed") {
    auto const name = GENERATE(
        as<std::string>{}, "passwordPolicy", "password_policy", "defaultPasswordPolicy",
        "passwordPolicyId", "PASSWORD-POLICY", "tokenCount", "tokenCounts", "maxTokens",
        "max_tokens", "max_output_tokens", "totalTokens", "prompt_tokens", "prompt_tokens_details",
        "completionTokens", "cache_read_input_tokens", "tokensUsed", "tokenType", "token_type",
        "accessTokenLifetime", "refresh_token_expires_in", "tokenEndpoint", "hasPassword",
        "apiKeyId", "userApiKeyIds", "AWSAccessKeyId", "clientSecretName", "secret_name",
        "private_key_id", "openApiKeys", "transparentDataEncryptionKeyId", "authorizationUrl",
        "minPasswordLength");
    CAPTURE(name);
    CHECK_FALSE(is_listed(RedactionList{}, name));
}

TEST_CASE("an exception applies to names that end in it, and to no others") {
    auto const name =
        GENERATE(as<std::string>{}, "tokenCountToken", "tokenCountSecret", "passwordTokenCount",
                 "tokenCounter", "tokenAccount", "maxTokensPassword", "passwordPolicyPassword",
                 "tokenNameSecretValue", "notokenCountToken", "passwordPolicing", "xMaxToken",
                 "secretIdentity", "apiKeyIdentifier", "climaxTokens", "requirePassword_S_Token");
    CAPTURE(name);
    CHECK(is_listed(RedactionList{}, name));
}

TEST_CASE("an exception of the configuration is found like a name") {
    RedactionList list;
    list.add("pin");
    CHECK(is_listed(list, "pinCode"));
    CHECK(is_listed(list, "pageToken"));
    list.add_exception("page_token");
    list.add_exception("pinCode");
    list.add_exception("");
    list.add_exception("-_-");
    for (std::string const name : {"pageToken", "nextPageToken", "PAGE-TOKENS", "pin_code",
                                   "pinCodes", "myPinCodeOf"})
        CHECK_FALSE(is_listed(list, name));
    for (std::string const name : {"pin", "userPin", "pageTokenPin", "homepageToken", "token"})
        CHECK(is_listed(list, name));
}

TEST_CASE("a name that was listed itself stays listed") {
    RedactionList list;
    CHECK_FALSE(is_listed(list, "tokenCount"));
    CHECK_FALSE(list.has_itself("tokenCount"));
    list.add("tokenCount");
    list.add_alone("maxTokens");
    list.add_exception("password");
    for (std::string const name : {"tokenCount", "token_count", "max-tokens", "password"}) {
        CHECK(is_listed(list, name));
        CHECK(list.has_itself(name));
    }
    CHECK_FALSE(list.has_itself("userPassword"));
    CHECK(list.has_itself("newPasswordHash"));
}

TEST_CASE("a name that a contract marks is listed without longer names") {
    RedactionList list;
    list.add_alone("value");
    list.add_alone("a.b");
    list.add_alone(".");
    for (std::string const name : {"value", "VALUE", "_val-ue_", "a.b", "A.B", "."})
        CHECK(is_listed(list, name));
    for (std::string const name :
         {"defaultValue", "value_type", "values", "ab", "a.b.c", "..", ":"})
        CHECK_FALSE(is_listed(list, name));
}

TEST_CASE("names of the configuration of any length and with digits match in longer names") {
    RedactionList list;
    list.add("s3");
    list.add("pin2");
    CHECK(is_listed(list, "myS3Bucket"));
    CHECK_FALSE(is_listed(list, "mys_3bucket"));
    CHECK(is_listed(list, "my_s_3_bucket"));
    CHECK(is_listed(list, "cardPin2code"));
    CHECK_FALSE(is_listed(list, "cardPin3code"));
    // So long that its ends are compared first.
    CHECK(is_listed(list, "customerCardPin2code"));
    CHECK_FALSE(is_listed(list, "customerCardPin3code"));
    list.add("x");
    CHECK(is_listed(list, "x"));
    CHECK(is_listed(list, "positionX"));
    CHECK(is_listed(list, "x_position"));
    CHECK_FALSE(is_listed(list, "xs"));
    CHECK_FALSE(is_listed(list, "position"));
}

TEST_CASE("a name is read to its end at every length") {
    for (std::size_t size = 0; size < 120; ++size) {
        std::string const before(size, 'a');
        CAPTURE(size);
        CHECK(is_listed(RedactionList{}, before + "secret") == (size == 0));
        CHECK(is_listed(RedactionList{}, before + "Secret"));
        CHECK(is_listed(RedactionList{}, "secret_" + before));
        CHECK(is_listed(RedactionList{}, before + "_secretS" + before));
        CHECK_FALSE(is_listed(RedactionList{}, before + "_secretly" + before));
    }
}

TEST_CASE("names of the published documents are hidden if they are secret") {
    // All members of /config/contracts and of the two published documents whose names contain that
    // of a secret, classified by hand.
    RedactionList const list;
    for (std::string const name :
         {"accessKey", "changePassword", "connectionString", "credentials", "encryptionKey",
          "keySecret", "keySecretHash", "newPasswordHash", "password", "privateKey",
          "secretAccessKey", "secretKey", "serviceAccountKey", "uploadUrl"}) {
        CAPTURE(name);
        CHECK(is_listed(list, name));
    }
    for (std::string const name :
         {"accessKeyId", "openApiKeys", "transparentDataEncryptionKeyId"}) {
        CAPTURE(name);
        CHECK_FALSE(is_listed(list, name));
    }
}

} // namespace redaction_list_test
