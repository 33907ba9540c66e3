// Default options of the fuzz targets for AddressSanitizer, unless ASAN_OPTIONS overrides them.

extern "C" char const* __asan_default_options();

// An input takes microseconds: its freed memory need not be quarantined for 256 MB of later
// allocations, which evict every cache, nor does each allocation need thirty frames of its stack.
extern "C" char const* __asan_default_options() {
    return "quarantine_size_mb=8:malloc_context_size=8:strict_string_checks=1";
}
