// Every rule that received bytes can violate, by name; each check cites its standard.
#pragma once

#include "gateway/http/refusal.h"

namespace sallyport::http {

/// One rule for both directions: a violation by an upstream is an invalid response.
struct Rule {
    Refusal client;
    Refusal upstream;

    constexpr Rule(RefusalKind kind, std::string_view name, std::string_view detail)
        : client{kind, name, detail}, upstream{RefusalKind::upstream_invalid, name, detail} {}

    /// The refusal for a violation by this sender.
    [[nodiscard]] constexpr Refused broken_by(Sender sender) const {
        return sender == Sender::client ? &client : &upstream;
    }
};

namespace rules {

using Kind = RefusalKind;

/// The lines of a head.
inline constexpr Rule head_too_large{Kind::head_too_large, "head_too_large",
                                     "The request head is too large"};
inline constexpr Rule line_too_long{Kind::head_too_large, "line_too_long",
                                    "A line of the request head is too long"};
inline constexpr Rule too_many_fields{Kind::head_too_large, "too_many_fields",
                                      "The request has too many header fields"};
inline constexpr Rule incomplete_head{Kind::bad_request, "incomplete_head",
                                      "The request head is not complete"};
inline constexpr Rule empty_lines_before_request{Kind::bad_request, "empty_lines_before_request",
                                                 "More than one empty line before the request"};
inline constexpr Rule bare_line_feed{Kind::bad_request, "bare_line_feed",
                                     "A line does not end in CR LF"};
inline constexpr Rule bare_carriage_return{Kind::bad_request, "bare_carriage_return",
                                           "A carriage return stands within a line"};
inline constexpr Rule control_character{Kind::bad_request, "control_character",
                                        "A control character stands in the request head"};
inline constexpr Rule obs_fold{Kind::bad_request, "obs_fold",
                               "A header field is folded over several lines"};
inline constexpr Rule field_without_colon{Kind::bad_request, "field_without_colon",
                                          "A header line holds no colon"};
inline constexpr Rule empty_field_name{Kind::bad_request, "empty_field_name",
                                       "A header field has no name"};
inline constexpr Rule white_space_before_colon{Kind::bad_request, "white_space_before_colon",
                                               "White space stands before the colon of a field"};
inline constexpr Rule field_name_not_token{Kind::bad_request, "field_name_not_token",
                                           "The name of a header field is not a token"};
inline constexpr Rule shadowing_field_name{Kind::bad_request, "shadowing_field_name",
                                           "A header field's name differs from one that the "
                                           "gateway sets only in a sign such as an "
                                           "underscore"};

/// Start lines.
inline constexpr Rule malformed_request_line{Kind::bad_request, "malformed_request_line",
                                             "The request line is malformed"};
inline constexpr Rule method_not_token{Kind::bad_request, "method_not_token",
                                       "The request method is not a token"};
inline constexpr Rule unsupported_version{Kind::bad_request, "unsupported_version",
                                          "The HTTP version is neither 1.0 nor 1.1"};
inline constexpr Rule connect_method{Kind::bad_request, "connect_method",
                                     "The method CONNECT is not served"};
inline constexpr Rule malformed_status_line{Kind::bad_request, "malformed_status_line",
                                            "The status line is malformed"};
inline constexpr Rule status_out_of_range{Kind::bad_request, "status_out_of_range",
                                          "The status code is not between 100 and 599"};
inline constexpr Rule unasked_upgrade{Kind::bad_request, "unasked_upgrade",
                                      "Protocols were switched without being asked to"};

/// Targets and Host.
inline constexpr Rule asterisk_form{Kind::bad_request, "asterisk_form",
                                    "The request target * is not served"};
inline constexpr Rule malformed_target{
    Kind::bad_request, "malformed_target",
    "The request target is neither a path nor an absolute http or https URI"};
inline constexpr Rule target_userinfo{Kind::bad_request, "target_userinfo",
                                      "The request target holds user information"};
inline constexpr Rule malformed_target_authority{
    Kind::bad_request, "malformed_target_authority",
    "The authority of the request target is malformed"};
inline constexpr Rule target_is_not_host{Kind::bad_request, "target_is_not_host",
                                         "The request target names another host than Host"};
inline constexpr Rule missing_host{Kind::bad_request, "missing_host", "The Host field is missing"};
inline constexpr Rule repeated_host{Kind::bad_request, "repeated_host",
                                    "The Host field is repeated"};
inline constexpr Rule malformed_host{Kind::bad_request, "malformed_host",
                                     "The Host field is malformed"};
inline constexpr Rule fragment{Kind::bad_request, "fragment",
                               "The request target holds a fragment"};
inline constexpr Rule non_ascii_target{Kind::bad_request, "non_ascii_target",
                                       "The request target holds bytes that are not ASCII"};
inline constexpr Rule malformed_escape{Kind::bad_request, "malformed_escape",
                                       "A percent sign is not followed by two hexadecimal digits"};
inline constexpr Rule character_of_no_path{
    Kind::bad_request, "character_of_no_path",
    "The path holds a character that has to be percent-encoded"};
inline constexpr Rule backslash{Kind::bad_request, "backslash", "The path holds a backslash"};
inline constexpr Rule semicolon{Kind::bad_request, "semicolon", "The path holds a semicolon"};
inline constexpr Rule empty_segment{Kind::bad_request, "empty_segment",
                                    "The path holds two slashes in a row, which pass only where an "
                                    "API has empty_segments: pass"};
inline constexpr Rule dot_segment{Kind::bad_request, "dot_segment", "The path holds a dot segment"};
inline constexpr Rule encoded_slash{Kind::bad_request, "encoded_slash",
                                    "The path holds an encoded /, which passes only in a value of an "
                                    "API that has encoded_slashes: pass"};
inline constexpr Rule encoded_delimiter{Kind::bad_request, "encoded_delimiter",
                                        "The path holds an encoded \\ . ? # or ;"};
inline constexpr Rule encoded_control{Kind::bad_request, "encoded_control",
                                      "The path holds an encoded control character"};
inline constexpr Rule path_not_utf8{Kind::bad_request, "path_not_utf8",
                                    "The escapes of the path are not UTF-8"};

/// The framing of messages.
inline constexpr Rule transfer_encoding_and_content_length{
    Kind::bad_request, "transfer_encoding_and_content_length",
    "Transfer-Encoding and Content-Length are both present"};
inline constexpr Rule repeated_transfer_encoding{Kind::bad_request, "repeated_transfer_encoding",
                                                 "The Transfer-Encoding field is repeated"};
inline constexpr Rule transfer_encoding_not_chunked{
    Kind::bad_request, "transfer_encoding_not_chunked", "Transfer-Encoding is not just chunked"};
inline constexpr Rule transfer_encoding_in_http_1_0{Kind::bad_request,
                                                    "transfer_encoding_in_http_1_0",
                                                    "Transfer-Encoding does not exist in HTTP/1.0"};
inline constexpr Rule repeated_content_length{Kind::bad_request, "repeated_content_length",
                                              "The Content-Length field is repeated"};
inline constexpr Rule malformed_content_length{Kind::bad_request, "malformed_content_length",
                                               "Content-Length is not a decimal number in range"};
inline constexpr Rule malformed_connection{Kind::bad_request, "malformed_connection",
                                           "The Connection field is malformed"};
inline constexpr Rule too_many_connection_elements{
    Kind::bad_request, "too_many_connection_elements",
    "The Connection field has more than 32 elements"};
inline constexpr Rule repeated_content_type{Kind::unsupported_media_type, "repeated_content_type",
                                            "The Content-Type field is repeated"};
inline constexpr Rule unknown_expectation{Kind::expectation_failed, "unknown_expectation",
                                          "No expectation but 100-continue is supported"};
inline constexpr Rule malformed_max_forwards{
    Kind::bad_request, "malformed_max_forwards",
    "The Max-Forwards field of OPTIONS is not one run of digits"};
inline constexpr Rule length_without_body{Kind::bad_request, "length_without_body",
                                          "A status without a body comes with the length of one"};
inline constexpr Rule second_opinion{Kind::bad_request, "second_opinion",
                                     "The request head is malformed"};

/// What HTTP/2 has in addition (RFC 9113, 8).
inline constexpr Rule missing_pseudo_field{Kind::bad_request, "missing_pseudo_field",
                                           "A pseudo-header field is missing"};
inline constexpr Rule repeated_pseudo_field{Kind::bad_request, "repeated_pseudo_field",
                                            "A pseudo-header field is repeated"};
inline constexpr Rule unknown_pseudo_field{Kind::bad_request, "unknown_pseudo_field",
                                           "A pseudo-header field is not one of a request"};
inline constexpr Rule pseudo_field_behind_field{
    Kind::bad_request, "pseudo_field_behind_field",
    "A pseudo-header field stands behind a header field"};
inline constexpr Rule scheme_not_https{Kind::bad_request, "scheme_not_https",
                                       "The scheme of the request is not https"};
inline constexpr Rule path_not_origin_form{
    Kind::bad_request, "path_not_origin_form",
    "The path of a request over HTTP/2 does not begin with a slash, or holds white space"};
inline constexpr Rule capital_in_field_name{Kind::bad_request, "capital_in_field_name",
                                            "The name of a header field holds a capital letter"};
inline constexpr Rule connection_specific_field{
    Kind::bad_request, "connection_specific_field",
    "A header field is one of those that frame messages or manage connections in HTTP/1"};
inline constexpr Rule te_not_trailers{Kind::bad_request, "te_not_trailers",
                                      "The TE field is not just trailers"};
inline constexpr Rule white_space_around_value{
    Kind::bad_request, "white_space_around_value",
    "The value of a header field begins or ends with white space"};
inline constexpr Rule content_length_is_not_body{Kind::bad_request, "content_length_is_not_body",
                                                 "Content-Length is not the size of the body"};

/// Chunked bodies.
inline constexpr Rule chunk_size{Kind::bad_request, "chunk_size", "A chunk size is malformed"};
inline constexpr Rule chunk_size_too_long{Kind::bad_request, "chunk_size_too_long",
                                          "A chunk size has more than 16 digits"};
inline constexpr Rule chunk_line_too_long{Kind::bad_request, "chunk_line_too_long",
                                          "The line before a chunk is too long"};
inline constexpr Rule chunk_extension{Kind::bad_request, "chunk_extension",
                                      "A chunk extension is malformed"};
inline constexpr Rule chunk_extensions_too_large{Kind::bad_request, "chunk_extensions_too_large",
                                                 "The chunk extensions are too large"};
inline constexpr Rule chunk_line_end{Kind::bad_request, "chunk_line_end",
                                     "A line of the chunked body does not end in CR LF"};
inline constexpr Rule chunk_data_end{Kind::bad_request, "chunk_data_end",
                                     "The data of a chunk does not end in CR LF"};
inline constexpr Rule malformed_trailer{Kind::bad_request, "malformed_trailer",
                                        "A trailer field is malformed"};
inline constexpr Rule trailers_too_large{Kind::bad_request, "trailers_too_large",
                                         "The trailer fields are too large"};
inline constexpr Rule body_too_large{Kind::body_too_large, "body_too_large",
                                     "The body is too large"};

/// What trusted proxies say about their clients (http/forwarded.h).
inline constexpr Rule forwarded_malformed{Kind::bad_request, "forwarded_malformed",
                                          "A field about the client is malformed"};
inline constexpr Rule forwarded_address{Kind::bad_request, "forwarded_address",
                                        "A field about the client does not name its address"};
inline constexpr Rule forwarded_too_long{Kind::bad_request, "forwarded_too_long",
                                         "The request has come through too many proxies"};

/// Media types and content codings.
inline constexpr Rule not_json{Kind::unsupported_media_type, "not_json",
                               "The body has to be application/json in UTF-8"};
inline constexpr Rule unsupported_coding{Kind::unsupported_media_type, "unsupported_coding",
                                         "The content coding of the body is not supported"};
inline constexpr Rule malformed_coding{Kind::malformed_body, "malformed_coding",
                                       "The coded body is malformed"};
inline constexpr Rule incomplete_coding{Kind::malformed_body, "incomplete_coding",
                                        "The coded body is not complete"};
inline constexpr Rule bytes_behind_coding{Kind::malformed_body, "bytes_behind_coding",
                                          "Bytes follow the end of the coded body"};
inline constexpr Rule decoded_too_large{Kind::body_too_large, "decoded_too_large",
                                        "The decoded body is too large"};
inline constexpr Rule coding_ratio{Kind::body_too_large, "coding_ratio",
                                   "The body is compressed beyond reason"};

} // namespace rules

} // namespace sallyport::http
