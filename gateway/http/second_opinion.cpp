// Runs Beast's basic_parser over a head, with callbacks that copy nothing and compare everything.
#include "gateway/http/second_opinion.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <cstdint>

namespace sallyport::http {

namespace {

namespace beast = boost::beast;

// What Beast is given: the bytes themselves, or a copy with another status line.
enum class Given : std::uint8_t { bytes, copy };

bool is_same_view(beast::string_view seen, std::string_view ours, Given given) noexcept {
    if (given == Given::copy) return std::string_view{seen.data(), seen.size()} == ours;
    // An empty view may point anywhere.
    return seen.size() == ours.size() && (ours.empty() || seen.data() == ours.data());
}

constexpr int beast_version(Protocol protocol) noexcept {
    return protocol == Protocol::http_1_0 ? 10 : 11;
}

// Both directions: each field line in turn must equal the next one of ours.
template <bool is_request>
class Reader : public beast::http::basic_parser<is_request> {
public:
    Reader(FieldTable const& fields, std::size_t size, Given given = Given::bytes)
        : fields_{fields}, given_{given} {
        // Reads no body: its limit must not refuse heads that announce one.
        this->body_limit(boost::none);
        this->header_limit(static_cast<std::uint32_t>(size) + 1);
        this->skip(true);
    }

    // Whether it reads exactly this head, no less and no more.
    bool reads(std::string_view head) {
        beast::error_code error;
        auto const size = this->put(boost::asio::const_buffer{head.data(), head.size()}, error);
        return !error && size == head.size() && this->is_header_done() && seen_ == fields_.size();
    }

protected:
    bool is_same(beast::string_view seen, std::string_view ours) const noexcept {
        return is_same_view(seen, ours, given_);
    }
    static void disagree(beast::error_code& error) { error = beast::http::error::bad_field; }

private:
    void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                       beast::error_code& error) override {
        if (seen_ == fields_.size()) return disagree(error);
        auto const ours = fields_[seen_++];
        if (!is_same(name, ours.name) || !is_same(value, ours.value)) disagree(error);
    }
    void on_header_impl(beast::error_code&) override {}
    void on_body_init_impl(boost::optional<std::uint64_t> const&, beast::error_code&) override {}
    std::size_t on_body_impl(beast::string_view, beast::error_code& error) override {
        disagree(error);
        return 0;
    }
    void on_chunk_header_impl(std::uint64_t, beast::string_view,
                              beast::error_code& error) override {
        disagree(error);
    }
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view,
                                   beast::error_code& error) override {
        disagree(error);
        return 0;
    }
    void on_finish_impl(beast::error_code&) override {}

    FieldTable const& fields_;
    Given given_;
    std::size_t seen_ = 0;
};

class RequestReader final : public Reader<true> {
public:
    explicit RequestReader(RequestHead const& head) : Reader{head.fields, head.size}, head_{head} {}

private:
    void on_request_impl(Method method, beast::string_view method_text, beast::string_view target,
                         int version, beast::error_code& error) override {
        bool const agrees = method == head_.method && is_same(method_text, head_.method_text)
                            && is_same(target, head_.raw_target)
                            && version == beast_version(head_.protocol);
        if (!agrees) disagree(error);
    }
    void on_response_impl(int, beast::string_view, int, beast::error_code& error) override {
        disagree(error);
    }

    RequestHead const& head_;
};

class ResponseReader final : public Reader<false> {
public:
    ResponseReader(ResponseHead const& head, std::size_t size, Given given)
        : Reader{head.fields, size, given}, head_{head} {}

private:
    void on_request_impl(Method, beast::string_view, beast::string_view, int,
                         beast::error_code& error) override {
        disagree(error);
    }
    void on_response_impl(int status, beast::string_view reason, int version,
                          beast::error_code& error) override {
        bool const agrees = status == static_cast<int>(head_.status)
                            && is_same(reason, head_.reason)
                            && version == beast_version(head_.protocol);
        if (!agrees) disagree(error);
    }

    ResponseHead const& head_;
};

// The framing found by Beast must be the one found by the policy.
template <class Parser>
bool is_same_framing(Parser const& parser, FieldTable const& fields, std::uint64_t length) {
    bool const has_length = fields.has(FieldId::content_length);
    if (parser.chunked() != fields.has(FieldId::transfer_encoding)) return false;
    if (parser.content_length().has_value() != has_length) return false;
    return !has_length || *parser.content_length() == length;
}

} // namespace

bool beast_agrees(std::string_view bytes, RequestHead const& head) {
    RequestReader reader{head};
    // Beast accepts no empty line before a request: its head begins at the method.
    auto const begin = static_cast<std::size_t>(head.method_text.data() - bytes.data());
    return reader.reads(bytes.substr(begin, head.size - begin))
           && is_same_framing(reader, head.fields, head.framing.body.length);
}

bool beast_agrees(std::string_view bytes, ResponseHead const& head) {
    // Beast wants the space behind a status without a reason.
    auto const own = bytes.substr(0, head.size);
    constexpr std::size_t status_end = sizeof "HTTP/1.1 200" - 1;
    std::string copy;
    bool const is_cut = own[status_end] != ' ';
    if (is_cut) copy.append(own.substr(0, status_end)).append(" ").append(own.substr(status_end));
    auto const given = is_cut ? std::string_view{copy} : own;
    ResponseReader reader{head, given.size(), is_cut ? Given::copy : Given::bytes};
    return reader.reads(given)
           && is_same_framing(reader, head.fields, head.framing.declared_length.value_or(0));
}

} // namespace sallyport::http
