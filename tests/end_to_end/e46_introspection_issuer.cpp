// Tokens that a real issuer has made and is asked about over TLS: that of python3-oauthlib, with
// its endpoints for tokens, introspection and revocation.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/encodings.h"
#include "tests/support/file_watch.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <stdexcept>

namespace e46_introspection_issuer {

using namespace sallyport::test;

namespace {

// Two clients: one that fetches tokens, and the gateway, whose id and secret have every character
// that forms escape. A line for each introspection goes to the output.
constexpr std::string_view issuer_program = R"py(
import base64, http.server, json, ssl, sys, time, urllib.parse
from oauthlib.oauth2 import BackendApplicationServer, RequestValidator

CLIENTS = {'robot': 'robot-secret', 'gate:way/1': 's&cr:t+% =\u00e9~*'}
TOKENS = {}

class Client:
    def __init__(self, client_id):
        self.client_id = client_id

class Validator(RequestValidator):
    def authenticate_client(self, request, *args, **kwargs):
        kind, _, value = request.headers.get('Authorization', '').partition(' ')
        if kind != 'Basic':
            return False
        client_id, _, secret = base64.b64decode(value).decode().partition(':')
        client_id, secret = map(urllib.parse.unquote_plus, (client_id, secret))
        if CLIENTS.get(client_id) != secret:
            return False
        request.client = Client(client_id)
        return True

    def client_authentication_required(self, request, *args, **kwargs):
        return True

    def validate_grant_type(self, client_id, grant_type, client, request, *args, **kwargs):
        return grant_type == 'client_credentials'

    def get_default_scopes(self, client_id, request, *args, **kwargs):
        return ['pipes']

    def validate_scopes(self, client_id, scopes, client, request, *args, **kwargs):
        return set(scopes) <= {'pipes', 'reports'}

    def save_bearer_token(self, token, request, *args, **kwargs):
        TOKENS[token['access_token']] = {
            'iss': 'https://issuer.example', 'aud': ['management'], 'sub': request.client.client_id,
            'client_id': request.client.client_id, 'token_type': 'Bearer', 'scope': token['scope'],
            'iat': int(time.time()), 'exp': int(time.time()) + token['expires_in']}

    def introspect_token(self, token, token_type_hint, request, *args, **kwargs):
        print('introspection', token_type_hint, request.client.client_id, flush=True)
        return dict(TOKENS[token]) if token in TOKENS else None

    def revoke_token(self, token, token_type_hint, request, *args, **kwargs):
        TOKENS.pop(token, None)

server = BackendApplicationServer(Validator())

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length'])).decode()
        make = {'/token': server.create_token_response,
                '/introspect': server.create_introspect_response,
                '/revoke': server.create_revocation_response}[self.path]
        fields, text, status = make('https://localhost' + self.path, 'POST', body,
                                    dict(self.headers.items()))
        data = text.encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass

listening = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listening.socket = context.wrap_socket(listening.socket, server_side=True)
print('port', listening.server_address[1], flush=True)
listening.serve_forever()
)py";

constexpr std::string_view gateway_secret = "s&cr:t+% =\u00e9~*";

ExpectedProblem unauthenticated() {
    auto problem = refused(401, "unauthenticated");
    problem.fields = {{"WWW-Authenticate", "Bearer realm=\"management\""}};
    return problem;
}

bool has_oauthlib() {
    if (run({{"/usr/bin/python3", "-c", "import oauthlib.oauth2"}}).exit_code == 0) return true;
    WARN("not checked: there is no python3-oauthlib on this machine");
    return false;
}

class RealIssuer {
public:
    RealIssuer()
        : process_{{{"/usr/bin/python3", "-c", std::string{issuer_program},
                     certificates().server.certificate.string(),
                     certificates().server.private_key.string()}},
                   {.output = folder_ / "output", .error = folder_ / "error"}} {
        FileWatch watch{folder_.path()};
        while (output().find('\n') == std::string::npos)
            if (watch.wait(process_.descriptor(), TimeLimit{}) != Waited::happened)
                throw std::runtime_error{"no issuer: " + read_file(folder_ / "error")};
        port_ = static_cast<std::uint16_t>(std::stoul(output().substr(5)));
    }

    [[nodiscard]] std::string url(std::string const& path) const {
        return "https://localhost:" + std::to_string(port_) + path;
    }
    /// A request to one of its endpoints as the client of the tokens.
    [[nodiscard]] Json post(std::string const& path, std::string const& body) const {
        auto const result = run({{"curl", "--silent", "--show-error", "--fail", "--max-time", "20",
                                  "--cacert", certificates().authority.string(), "--user",
                                  "robot:robot-secret", "--data", body, url(path)}});
        CAPTURE(result.error, read_file(folder_ / "error"));
        REQUIRE(result.exit_code == 0);
        return result.output.empty() ? Json{} : Json::parse(result.output);
    }
    [[nodiscard]] std::string new_token(std::string const& scope) const {
        return post("/token", "grant_type=client_credentials&scope=" + scope).text("access_token");
    }
    [[nodiscard]] std::size_t questions() const {
        return count_of("introspection access_token gate:way/1\n", output());
    }
    void end() { process_.signal(9); }

private:
    [[nodiscard]] std::string output() const { return read_file(folder_ / "output"); }

    TemporaryFolder folder_;
    Process process_;
    std::uint16_t port_ = 0;
};

Change asking(RealIssuer const& issuer) {
    return [url = issuer.url("/introspect")](Configuration& configuration) {
        configuration.apis =
            "  management: { contract: \"" + contracts_folder()
            + "/management.yaml\", upstream: management, authenticate: [introspection], "
              "introspection: { url: \""
            + url
            + R"(", client: { id: "gate:way/1", secret: "${env:INTROSPECTION}" }, ca: issuer.pem, )"
              R"(issuer: "https://issuer.example", audience: management, )"
              R"(cache: { positive: 1s, negative: 1s }, )"
              R"(roles: { claim: scope, mapping: { pipes: [reader] } } } })"
              "\n"
            + api_yaml("observability");
    };
}

Gateway::Options options() {
    return {.credentials = "roles: { reader: { allow: { operations: [management/getPipe] } } }\n"
                           + standard_credentials(),
            .environment = {{"INTROSPECTION", std::string{gateway_secret}}},
            .files = {{"issuer.pem", read_file(certificates().authority)}}};
}

} // namespace

TEST_CASE("tokens of a real issuer lead to their callers until it revokes them") {
    if (!has_oauthlib()) return;
    RealIssuer issuer;
    Stage stage{{}, asking(issuer), options()};
    auto const get = [&stage](std::string const& token) {
        return stage.send(request_for("getPipe").authorization(bearer(token)));
    };
    auto const token = issuer.new_token("pipes");
    auto const response = get(token);
    CHECK(response.status == 200);
    CHECK(stage.log_of(response).text("credential") == "introspection:robot");
    CHECK(issuer.questions() == 1);
    // A scope that stands for no role, and a token that the issuer has not made.
    CHECK(get(issuer.new_token("reports")).status == 403);
    auto const refused = get("made-up");
    check_problem(refused, unauthenticated());
    CHECK(stage.log_of(refused).text("auth_failure") == "inactive");

    static_cast<void>(issuer.post("/revoke", "token=" + token));
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    for (auto status = get(token).status; status != 401; status = get(token).status) {
        REQUIRE(status == 200);
        REQUIRE(std::chrono::steady_clock::now() < limit);
    }
    issuer.end();
    CHECK(get(token + "x").status == 503);
    stage.finish();
}

} // namespace e46_introspection_issuer
