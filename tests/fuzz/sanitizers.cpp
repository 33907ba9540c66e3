// What the fuzz targets ask of AddressSanitizer where ASAN_OPTIONS does not say otherwise.

extern "C" char const* __asan_default_options();

// An input is done in microseconds: what it freed need not be kept from use for 256 MB of later
// ones, which leave no cache warm, nor does each allocation need thirty frames of its stack.
extern "C" char const* __asan_default_options() {
    return "quarantine_size_mb=8:malloc_context_size=8:strict_string_checks=1";
}
