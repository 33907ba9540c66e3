// The section `listeners`: where the gateway listens, and with which certificates.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>

namespace sallyport::config {

namespace {

Section<ClientCertificates> const& client_certificates_section() {
    static Section<ClientCertificates> const section{
        "client_certificates",
        {
            word_key("verify", &ClientCertificates::verify,
                     {{"none", VerifyClients::none},
                      {"optional", VerifyClients::optional},
                      {"required", VerifyClients::required}},
                     "whether clients are asked for certificates; optional: one that is sent has "
                     "to be valid"),
            file_key("ca", &ClientCertificates::ca,
                     "PEM file of the authorities that sign the clients' certificates")
                .needing("verify", "needs verify: without it no certificate is asked for"),
            file_key("crl", &ClientCertificates::crl,
                     "PEM file of the lists of revoked certificates, one of each authority; "
                     "without it none is revoked")
                .needing("ca", "needs ca, which says who signs the lists"),
            word_key("ocsp", &ClientCertificates::ocsp, {{"off", Ocsp::off}},
                     "off: authorities are not asked about single certificates"),
        }};
    return section;
}

Section<Certificate> const& certificate_section() {
    static Section<Certificate> const section{
        "certificate",
        {
            file_key("certificate", &Certificate::certificate,
                     "PEM file of the certificate, followed by those between it and its authority")
                .required("certificate: tls/server.pem"),
            file_key("private_key", &Certificate::private_key, "PEM file of its private key")
                .required("private_key: tls/server.key"),
        }};
    return section;
}

void read_certificates(Reader& reader, Value const& value, ListenerTls& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        Certificate certificate;
        certificate.origin = Reader::origin_of(item);
        certificate_section().read(reader, item, certificate);
        out.certificates.push_back(std::move(certificate));
    }
}

void read_client_certificates(Reader& reader, Value const& value, ListenerTls& out) {
    auto& clients = out.client_certificates;
    client_certificates_section().read(reader, value, clients);
    if (!value.node->is_mapping()) return;
    reader.check_needs(value, client_certificates_section().info());
    bool const has_ca = value.node->find("ca") != nullptr;
    auto const* const verify = value.node->find("verify");
    bool const is_none = verify != nullptr && verify->is_string() && verify->text() == "none";
    if (is_none && has_ca) {
        reader.refuse(Reader::child(value, "ca"), "no certificate is asked for: verify is none",
                      "write verify: optional or verify: required, or remove it");
    } else if (clients.verify != VerifyClients::none && !has_ca) {
        reader.refuse(value, "has no ca: no certificate could be verified",
                      "write ca: FILE, with the authorities that sign the clients' certificates");
    }
}

Section<ListenerTls> const& tls_section() {
    KeyInfo certificates{"certificates", list_shape(section_shape(certificate_section().info()), 1),
                         "what the listener shows; several are chosen by the name that the client "
                         "asks for, the first where none fits"};
    KeyInfo clients{"client_certificates", section_shape(client_certificates_section().info()),
                    "certificates of clients"};
    static Section<ListenerTls> const section{
        "tls",
        {
            custom_key<ListenerTls>(std::move(certificates), read_certificates)
                .required("certificates: [{ certificate: tls/server.pem, private_key: "
                          "tls/server.key }]"),
            word_key("minimum_version", &ListenerTls::minimum_version,
                     {{"1.2", TlsVersion::tls_1_2}, {"1.3", TlsVersion::tls_1_3}},
                     "the oldest TLS version that is spoken"),
            custom_key<ListenerTls>(std::move(clients), read_client_certificates),
        }};
    return section;
}

void read_name(Reader& reader, Value const& value, Listener& out) {
    auto name = reader.read_line(value, 64);
    if (name && reader.check_name(value.node->mark(), value.path, *name)) {
        out.name = std::move(*name);
    }
}

void read_address(Reader& reader, Value const& value, Listener& out) {
    out.address_origin = Reader::origin_of(value);
    if (auto address = read_listening_address(reader, value)) out.address = std::move(*address);
}

void read_tls(Reader& reader, Value const& value, Listener& out) {
    if (value.node->is_string() && value.node->text() == "off") return;
    if (!value.node->is_mapping()) {
        reader.refuse(value, "must be off or a mapping",
                      "write tls: off, or tls: { certificates: [...] }");
        return;
    }
    tls_section().read(reader, value, out.tls.emplace());
}

// --- redirect

struct RedirectTo {
    std::uint32_t https = 443; // its port
};

std::vector<Word<RedirectTo>> const redirect_words{{"https", RedirectTo{}}};

Section<RedirectTo> const& redirect_section() {
    static Section<RedirectTo> const section{
        "redirect",
        {integer_key("https", &RedirectTo::https, 1, 65'535, "the port that the URL names")
             .required("https: 8443")}};
    return section;
}

void read_redirect(Reader& reader, Value const& value, Listener& out) {
    std::optional<RedirectTo> to;
    if (value.node->is_mapping()) {
        redirect_section().read(reader, value, to.emplace());
    } else {
        to = read_word(reader, value, redirect_words);
    }
    if (to) out.redirect = static_cast<std::uint16_t>(to->https);
}

// RFC 9110, 4.2.2: what came with TLS has nowhere better to go.
void check_redirect(Reader& reader, Value const& listener) {
    Value const redirect = Reader::child(listener, "redirect");
    Value const tls = Reader::child(listener, "tls");
    if (!listener.node->is_mapping() || listener.node->find("redirect") == nullptr
        || listener.node->find("tls") == nullptr || !tls.node->is_mapping())
        return;
    reader.refuse(redirect, "the listener speaks TLS: its requests are https already",
                  "remove it, or write tls: off");
}

std::vector<Word<HttpVersion>> const protocol_words{{"h2", HttpVersion::http_2},
                                                    {"http/1.1", HttpVersion::http_1_1}};

void read_protocols(Reader& reader, Value const& value, Listener& out) {
    std::vector<HttpVersion> versions;
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto const version = read_word(reader, item, protocol_words);
        if (!version) continue;
        if (std::find(versions.begin(), versions.end(), *version) != versions.end()) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            versions.push_back(*version);
        }
    }
    out.protocols = {HttpVersion::http_1_1}; // what is wrong here is reported once
    bool const is_h2_alone = versions == std::vector{HttpVersion::http_2};
    if (is_h2_alone) {
        reader.refuse(value, "clients without ALPN speak http/1.1", "write [h2, http/1.1]");
    } else if (!versions.empty()) {
        out.protocols = std::move(versions);
    }
}

// RFC 9113, 3.3: without TLS nothing would select it.
void settle_protocols(Reader& reader, Value const& listener, Listener& out) {
    if (out.tls) return;
    bool const has_http2 =
        std::find(out.protocols.begin(), out.protocols.end(), HttpVersion::http_2)
        != out.protocols.end();
    if (has_http2 && listener.node->find("protocols") != nullptr)
        reader.refuse(Reader::child(listener, "protocols"), "h2 is selected within TLS",
                      "write [http/1.1], or tls: { certificates: [...] }");
    out.protocols = {HttpVersion::http_1_1};
}

// --- proxies in front

using FieldMember = bool ForwardedFields::*;

std::vector<Word<FieldMember>> const forwarded_words{
    {"forwarded", &ForwardedFields::forwarded, Company::refused},
    {"x-forwarded-for", &ForwardedFields::x_forwarded_for},
    {"x-forwarded-proto", &ForwardedFields::x_forwarded_proto},
    {"x-forwarded-host", &ForwardedFields::x_forwarded_host}};

void read_forwarded_fields(Reader& reader, Value const& value, Listener& out) {
    auto const items = reader.read_list(value, Empty::allowed);
    ForwardedFields fields{false, false, false, false};
    for (Value const& item : items) {
        auto const member = read_word(reader, item, forwarded_words);
        if (!member) continue;
        if (fields.*(*member)) reader.refuse(item, "is given twice", "remove one");
        fields.*(*member) = true;
    }
    if (fields.forwarded && items.size() > 1) {
        reader.refuse(value, "forwarded stands alone: it says what the others say",
                      "write [forwarded], or the names of the others");
        return;
    }
    out.forwarded_fields = fields;
}

// A peer that sends these fields, or the header, can claim any address.
void check_proxies(Reader& reader, Value const& listener, Listener const& out) {
    if (!listener.node->is_mapping()) return;
    bool const has_networks = listener.node->find("trusted_proxies") != nullptr;
    if (out.proxy_protocol == ProxyProtocol::required && out.trusted_proxies.empty()) {
        reader.refuse(Reader::child(listener, "proxy_protocol"),
                      "needs to know who may send the header",
                      "write trusted_proxies: [...] beside it");
    } else if (listener.node->find("forwarded_fields") != nullptr && !has_networks) {
        reader.refuse(Reader::child(listener, "forwarded_fields"),
                      "no proxy is trusted to send these fields",
                      "write trusted_proxies: [...] beside it, or remove it");
    }
}

std::vector<Key<Listener>> listener_keys() {
    KeyInfo tls{"tls", either_shape(literal_shape("off"), section_shape(tls_section().info())),
                "off, or how the listener speaks TLS"};
    KeyInfo protocols{"protocols",
                      list_shape(word_shape(infos_of(protocol_words)), 1,
                                 static_cast<std::int64_t>(protocol_words.size()),
                                 Repeats::refused),
                      "versions of HTTP, the preferred one first: clients select one by ALPN, and "
                      "those that do not speak http/1.1, the only one without TLS",
                      "[h2, http/1.1]"};
    KeyInfo proxies{"trusted_proxies", networks_shape(),
                    "networks and addresses of proxies whose word about their clients counts",
                    "[]"};
    KeyInfo fields{"forwarded_fields",
                   list_shape(word_shape(infos_of(forwarded_words)), 0,
                              static_cast<std::int64_t>(forwarded_words.size()), Repeats::refused),
                   "which fields of trusted proxies count: forwarded alone (RFC 7239), or some of "
                   "x-forwarded-for, x-forwarded-proto and x-forwarded-host; empty: none",
                   "[x-forwarded-for, x-forwarded-proto]"};
    KeyInfo redirect{"redirect",
                     either_shape(word_shape(infos_of(redirect_words)),
                                  section_shape(redirect_section().info())),
                     "https: every request is redirected to the same URL with https, and none is "
                     "served"};
    std::vector<Key<Listener>> keys;
    keys.push_back(custom_key<Listener>(
                       {"name", text_shape(64, name_pattern()), "its name in logs"}, read_name)
                       .required("name: public"));
    keys.push_back(custom_key<Listener>({"address", text_shape(64, address_pattern()),
                                         "IP:PORT to listen on; port 0 takes a free one"},
                                        read_address)
                       .required("address: 0.0.0.0:8443"));
    keys.push_back(custom_key<Listener>(std::move(tls), read_tls)
                       .required("tls: { certificates: [...] }, or tls: off"));
    keys.push_back(custom_key<Listener>(std::move(protocols), read_protocols));
    keys.push_back(custom_key<Listener>(std::move(proxies),
                                        [](Reader& reader, Value const& value, Listener& out) {
                                            read_networks(reader, value, out.trusted_proxies);
                                        }));
    keys.push_back(custom_key<Listener>(std::move(fields), read_forwarded_fields));
    keys.push_back(word_key<Listener, ProxyProtocol>(
        "proxy_protocol", &Listener::proxy_protocol,
        {{"off", ProxyProtocol::off}, {"required", ProxyProtocol::required}},
        "required: every connection begins with a header of the PROXY protocol, version 1 or 2, "
        "from one of trusted_proxies"));
    add_keys_of_addresses(keys);
    keys.push_back(custom_key<Listener>(std::move(redirect), read_redirect));
    return keys;
}

Section<Listener> const& listener_section() {
    static Section<Listener> const section{"listener", listener_keys()};
    return section;
}

void refuse_repeated(Reader& reader, std::vector<Listener> const& others, Listener const& listener,
                     Value const& value) {
    for (Listener const& other : others) {
        if (!listener.name.empty() && other.name == listener.name) {
            reader.refuse(Reader::child(value, "name"),
                          "the name " + in_quotes(listener.name) + " is given twice",
                          "choose another");
        }
        if (!listener.address.ip.empty() && is_same_place(other.address, listener.address)) {
            reader.refuse(listener.address_origin,
                          "the listener " + in_quotes(other.name) + " has this address too",
                          "choose another");
        }
    }
}

} // namespace

std::optional<Address> read_listening_address(Reader& reader, Value const& value) {
    auto const text = reader.read_line(value, 64);
    if (!text) return std::nullopt;
    auto address = parse_address(*text);
    if (!address) {
        reader.refuse(value, Reader::shown(value) + " is not an address",
                      "write IP:PORT, such as 0.0.0.0:8443 or [::]:8443");
    }
    return address;
}

// One that is of all addresses of its family takes the port from each of them.
bool is_same_place(Address const& a, Address const& b) {
    if (a.port != b.port || a.port == 0) return false;
    bool const is_one_family =
        (a.ip.find(':') == std::string::npos) == (b.ip.find(':') == std::string::npos);
    bool const is_any = a.ip == "0.0.0.0" || a.ip == "::" || b.ip == "0.0.0.0" || b.ip == "::";
    return a.ip == b.ip || (is_one_family && is_any);
}

SectionInfo const& listener_info() {
    return listener_section().info();
}

void read_listeners(Reader& reader, Value const& value, Config& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        Listener listener;
        listener.origin = Reader::origin_of(item);
        listener_section().read(reader, item, listener);
        settle_protocols(reader, item, listener);
        check_redirect(reader, item);
        check_proxies(reader, item, listener);
        refuse_repeated(reader, out.listeners, listener, item);
        out.listeners.push_back(std::move(listener));
    }
    bool const serves_none =
        !out.listeners.empty()
        && std::all_of(out.listeners.begin(), out.listeners.end(),
                       [](Listener const& listener) { return listener.redirect.has_value(); });
    if (serves_none)
        reader.warn(value, "every listener redirects: no request is served",
                    "add a listener without redirect");
}

} // namespace sallyport::config
