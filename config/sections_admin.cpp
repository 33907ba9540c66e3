// The section `admin`: where the gateway shows its state.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

namespace sallyport::config {

namespace {

void read_address(Reader& reader, Value const& value, Admin& out) {
    out.address_origin = Reader::origin_of(value);
    if (auto address = read_listening_address(reader, value)) out.address = std::move(*address);
}

Section<Admin> const& admin_section() {
    static Section<Admin> const section{
        "admin",
        {
            custom_key<Admin>({"address", text_shape(64, address_pattern()),
                               "IP:PORT to listen on, in plain HTTP; port 0 takes a free one",
                               "127.0.0.1:9901"},
                              read_address),
            boolean_key("allow_remote", &Admin::allow_remote,
                        "whether the address may be another than a loopback address"),
        }};
    return section;
}

} // namespace

SectionInfo const& admin_info() {
    return admin_section().info();
}

void read_admin(Reader& reader, Value const& value, Config& out) {
    Admin& admin = out.admin.emplace();
    admin.origin = admin.address_origin = Reader::origin_of(value);
    admin_section().read(reader, value, admin);
    if (is_loopback(admin.address) || admin.allow_remote || reader.has_left_open(value.path))
        return;
    reader.refuse(admin.address_origin,
                  in_quotes(admin.address.ip)
                      + " is not a loopback address, and its clients need no credentials",
                  "write 127.0.0.1:9901, or add allow_remote: true");
}

} // namespace sallyport::config
