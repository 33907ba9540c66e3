# Build flags, and the functions that make a module, a unit test and a fuzz target.
option(SALLYPORT_BUILD_TESTS "Build the tests" ON)
option(SALLYPORT_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)
set(SALLYPORT_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

# A second build compiles only what changed, also after a switch of branches.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers need this sloppiness, or nothing is ever found in the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE_PROGRAM}")
endif()

add_library(sallyport_flags INTERFACE)
target_compile_features(sallyport_flags INTERFACE cxx_std_20)
# For every target alike: one that has it by way of a library could not use the precompiled headers.
target_compile_options(sallyport_flags INTERFACE -pthread)
target_compile_options(sallyport_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror
  # A release has none: three instructions in each function are 2 % of a request. Who profiles one has its stacks walked by what
  # unwinding is done with: perf record --call-graph dwarf. Sanitizers walk stacks by them.
  -fstack-protector-strong $<$<NOT:$<CONFIG:Release>>:-fno-omit-frame-pointer> -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
target_link_options(sallyport_flags INTERFACE -Wl,-z,relro,-z,now)
if(SALLYPORT_SANITIZE MATCHES "address")
  # Its programs are several times as large: without relocations and with compressed debug information they take a third less disk.
  target_compile_options(sallyport_flags INTERFACE -fno-pie -gz)
  target_link_options(sallyport_flags INTERFACE -no-pie -gz)
else()
  target_compile_options(sallyport_flags INTERFACE -fPIE)
  target_link_options(sallyport_flags INTERFACE -pie)
endif()
if(NOT SALLYPORT_SANITIZE)
  target_compile_definitions(sallyport_flags INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:_FORTIFY_SOURCE=2>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O2 the warnings of g++ 12 that follow values through inlined code find faults in std::string and
  # std::shared_ptr where there are none (GCC bugs 105329, 105651). clang and the sanitizers watch there.
  target_compile_options(sallyport_flags INTERFACE
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized
    -Wno-dangling-pointer)
  # Of control-flow protection a release has what Linux can enforce for programs: shadow stacks. Marks for indirect branches, which
  # no kernel looks at, are an instruction in each function.
  target_compile_options(sallyport_flags INTERFACE
    -fpch-preprocess -fstack-clash-protection $<IF:$<CONFIG:Release>,-fcf-protection=return,-fcf-protection>)
endif()
if(SALLYPORT_SANITIZE)
  # Of a target that is not looked at (sallyport_outside_of_the_product) only the linker has to know of them.
  target_compile_options(sallyport_flags INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:SALLYPORT_OUTSIDE_OF_THE_PRODUCT>>>:-fsanitize=${SALLYPORT_SANITIZE};-fno-sanitize-recover=all>")
  if(SALLYPORT_SANITIZE MATCHES "undefined")
    # It takes a third of the time that the text of a unit test needs to be compiled: it looks at the product alone.
    target_compile_options(sallyport_flags INTERFACE
      "$<$<BOOL:$<TARGET_PROPERTY:SALLYPORT_TEXT_OF_A_TEST>>:-fno-sanitize=undefined>")
    if(NOT SALLYPORT_FUZZ)
      # Its checks of pointers are a third of the code, and of the time that it is compiled in. Beside AddressSanitizer they find little:
      # an access through a null pointer or beyond an object ends the program there too. Fuzz targets are built with them (clang).
      target_compile_options(sallyport_flags INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
    endif()
  endif()
  target_link_options(sallyport_flags INTERFACE -fsanitize=${SALLYPORT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SALLYPORT_SANITIZE MATCHES "undefined")
    # clang 14 cannot compile coroutines with it: "Cannot represent a difference across sections".
    target_compile_options(sallyport_flags INTERFACE -fno-sanitize=function)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not know the fences that Asio has behind its locks.
    target_compile_options(sallyport_flags INTERFACE -Wno-tsan)
  endif()
endif()
if(SALLYPORT_FUZZ)
  # Compares are not traced: clang 14 takes UBSan's own for the program's, and nearly half would be such looks at pointers. Words that
  # the program compares are known to libFuzzer by the calls of memcmp.
  target_compile_options(sallyport_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()
target_include_directories(sallyport_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_link_libraries(sallyport_flags INTERFACE Threads::Threads)

# Boost for every target alike: definitions that differ between translation units would break the one-definition rule.
add_library(sallyport_boost_flags INTERFACE)
target_compile_definitions(sallyport_boost_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(sallyport_boost_flags INTERFACE Boost::headers OpenSSL::SSL OpenSSL::Crypto)

# Which targets are compiled in batches: several files as one translation unit, so that the text of their headers, and what is
# instantiated from it, is compiled once for all of them. That is half of the time of a build from nothing with a sanitizer.
#  - With AddressSanitizer and ThreadSanitizer everything is. Never a fuzz target's.
#  - In a release what no request runs is: reading and compiling configurations and contracts, commands, the embedded upstream. Never
#    what requests run: what is inlined, and what a request costs, would depend on which files stand beside each other.
#  - Programs of tests are in both, whose own speed says nothing. Each of their files has a namespace of its name, so that the names of
#    two never meet.
#  - Not for working on the code (dev): a change would compile its neighbours too. Not for coverage, which counts by object.
# The names of the product's unnamed namespaces meet in a batch. A file that has those of others is named in sallyport_compile_alone.
# The headers of a batch are a third of its time where there are five files. The same files stand together in every build, so that names
# that meet are found in any.
set(SALLYPORT_FILES_OF_A_BATCH 10)
set(SALLYPORT_BATCHES_OF_REQUESTS OFF)
set(SALLYPORT_BATCHES_OFF_THE_PATH OFF)
set(SALLYPORT_BATCHES_OF_TESTS OFF)
if(SALLYPORT_SANITIZE AND NOT SALLYPORT_FUZZ)
  set(SALLYPORT_BATCHES_OF_REQUESTS ON)
  set(SALLYPORT_BATCHES_OFF_THE_PATH ON)
  set(SALLYPORT_BATCHES_OF_TESTS ON)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SALLYPORT_SANITIZE)
  set(SALLYPORT_BATCHES_OFF_THE_PATH ON)
  set(SALLYPORT_BATCHES_OF_TESTS ON)
endif()

# sallyport_compile_in_batches(TARGET SIZE): SIZE files at most are one translation unit.
function(sallyport_compile_in_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${size})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes each file for a header, whose types may not have members of an unnamed namespace's types.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# sallyport_compile_briefly(TARGET): what neither a request nor the start of a gateway waits for. To optimise it as the rest takes a
# third of its time. With AddressSanitizer it is compiled as the text of tests that have Asio (SALLYPORT_ASIO_TEST_OPTIONS), and no
# precompiled header fits.
function(sallyport_compile_briefly target)
  if(SALLYPORT_SANITIZE MATCHES "address" AND NOT SALLYPORT_FUZZ)
    target_compile_options(${target} PRIVATE ${SALLYPORT_ASIO_TEST_OPTIONS})
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# sallyport_compile_alone(FILES...): these files of this folder are never in a batch.
function(sallyport_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# sallyport_module(NAME SOURCES ... [OFF_THE_PATH sources...|ALL] [DEPENDS modules...] [LIBRARIES others...] [ASIO])
# makes the static library sallyport_NAME. OFF_THE_PATH: further sources, or all of SOURCES, whose code no request runs. ASIO: its sources
# include Asio or Beast. Headers are precompiled twice, each time by the lowest module: with Asio by sallyport_boost, without by
# sallyport_yaml.
function(sallyport_module name)
  cmake_parse_arguments(arg "ASIO" "" "SOURCES;OFF_THE_PATH;DEPENDS;LIBRARIES" ${ARGN})
  set(target sallyport_${name})
  if(arg_SOURCES)
    set(on_the_path ${arg_SOURCES})
    if(arg_OFF_THE_PATH STREQUAL "ALL")
      set(on_the_path)
      set(arg_OFF_THE_PATH)
    endif()
    add_library(${target} STATIC ${arg_SOURCES} ${arg_OFF_THE_PATH})
    target_link_libraries(${target} PUBLIC sallyport_flags ${arg_DEPENDS} ${arg_LIBRARIES})
    if(arg_ASIO)
      target_link_libraries(${target} PUBLIC sallyport_boost)
      target_precompile_headers(${target} REUSE_FROM sallyport_boost)
    elseif(name STREQUAL yaml)
      target_precompile_headers(${target} PRIVATE precompiled.h)
    else()
      target_precompile_headers(${target} REUSE_FROM sallyport_yaml)
    endif()
    if(SALLYPORT_BATCHES_OF_REQUESTS)
      sallyport_compile_in_batches(${target} ${SALLYPORT_FILES_OF_A_BATCH})
    elseif(SALLYPORT_BATCHES_OFF_THE_PATH)
      sallyport_compile_in_batches(${target} ${SALLYPORT_FILES_OF_A_BATCH})
      sallyport_compile_alone(${on_the_path})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE sallyport_flags ${arg_DEPENDS} ${arg_LIBRARIES})
  endif()
endfunction()

# sallyport_driver(NAME SOURCES ... DEPENDS ...): a program of tests that only drives the product, as an executable target. It is the
# same for every product: where SALLYPORT_DRIVERS names a folder that has it, of another build of these sources, it is not compiled again.
set(SALLYPORT_DRIVERS "" CACHE PATH "A folder with programs of tests that another build of the same sources has made")
function(sallyport_driver name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  if(SALLYPORT_DRIVERS AND EXISTS "${SALLYPORT_DRIVERS}/${name}")
    add_executable(${name} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${SALLYPORT_DRIVERS}/${name}")
  else()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE sallyport_test_main sallyport_test_support ${arg_DEPENDS})
    sallyport_outside_of_the_product(${name})
  endif()
endfunction()

# sallyport_outside_of_the_product(TARGET): a program of tests that only drives the product. With AddressSanitizer its own code is
# compiled without: what is looked at is the product, in processes and libraries of its own, and such programs were a quarter of that
# build. ThreadSanitizer has to see every thread of a process. It has the precompiled header of those programs.
function(sallyport_outside_of_the_product target)
  if(NOT target STREQUAL sallyport_outside_headers)
    target_precompile_headers(${target} REUSE_FROM sallyport_outside_headers)
  endif()
  if(SALLYPORT_SANITIZE MATCHES "address")
    set_target_properties(${target} PROPERTIES SALLYPORT_OUTSIDE_OF_THE_PRODUCT ON)
  endif()
  target_compile_options(${target} PRIVATE ${SALLYPORT_OUTSIDE_OPTIONS})
  target_compile_definitions(${target} PRIVATE CATCH_CONFIG_FAST_COMPILE) # as of sallyport_test_main
  if(SALLYPORT_BATCHES_OF_TESTS)
    sallyport_compile_in_batches(${target} ${SALLYPORT_FILES_OF_A_BATCH})
  endif()
endfunction()

# To optimise the text of a test takes longer than to run it: it is compiled as it stands, where headers that are precompiled for the
# product are not used. The library's checks of _FORTIFY_SOURCE need an optimisation. ThreadSanitizer makes the programs that drive the
# product slow enough.
set(SALLYPORT_UNIT_TEST_OPTIONS)
set(SALLYPORT_ASIO_TEST_OPTIONS)
set(SALLYPORT_OUTSIDE_OPTIONS)
if(SALLYPORT_SANITIZE)
  set(SALLYPORT_UNIT_TEST_OPTIONS -O0)
  if(SALLYPORT_SANITIZE MATCHES "address")
    set(SALLYPORT_OUTSIDE_OPTIONS -O0)
    # A third of the time, though no precompiled header fits: nothing optimises the checks of AddressSanitizer, which are calls.
    set(SALLYPORT_ASIO_TEST_OPTIONS -O0)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      list(APPEND SALLYPORT_ASIO_TEST_OPTIONS --param=asan-instrumentation-with-call-threshold=0)
    endif()
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(SALLYPORT_UNIT_TEST_OPTIONS -O0 -U_FORTIFY_SOURCE)
  set(SALLYPORT_OUTSIDE_OPTIONS -O0 -U_FORTIFY_SOURCE)
  set(SALLYPORT_ASIO_TEST_OPTIONS -O1)
endif()

# Builds that are many times slower allow more.
set(SALLYPORT_UNIT_TEST_SECONDS 300 CACHE STRING "How long a unit test program may take")

# sallyport_unit_test(MODULE SOURCES ... DEPENDS ... [ASIO]): one executable a module, unit_MODULE, run by ctest.
function(sallyport_unit_test module)
  cmake_parse_arguments(arg "ASIO" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(unit_${module} ${arg_SOURCES})
  target_link_libraries(unit_${module} PRIVATE sallyport_test_main ${arg_DEPENDS})
  if(arg_ASIO)
    target_link_libraries(unit_${module} PRIVATE sallyport_boost)
    target_compile_options(unit_${module} PRIVATE ${SALLYPORT_ASIO_TEST_OPTIONS})
    if(TARGET sallyport_asio_test_headers)
      target_precompile_headers(unit_${module} REUSE_FROM sallyport_asio_test_headers)
    else()
      target_precompile_headers(unit_${module} REUSE_FROM sallyport_boost)
    endif()
  else()
    target_compile_options(unit_${module} PRIVATE ${SALLYPORT_UNIT_TEST_OPTIONS})
    target_precompile_headers(unit_${module} REUSE_FROM sallyport_test_main)
  endif()
  set_target_properties(unit_${module} PROPERTIES SALLYPORT_TEXT_OF_A_TEST ON)
  if(SALLYPORT_BATCHES_OF_TESTS)
    sallyport_compile_in_batches(unit_${module} ${SALLYPORT_FILES_OF_A_BATCH})
  endif()
  add_test(NAME unit_${module} COMMAND unit_${module})
  set_tests_properties(unit_${module} PROPERTIES LABELS unit TIMEOUT ${SALLYPORT_UNIT_TEST_SECONDS})
endfunction()

# sallyport_unpack_corpus(NAME): tests/fuzz/corpus/NAME.tar.xz becomes the folder SALLYPORT_FUZZ_CORPUS/NAME.
set(SALLYPORT_FUZZ_CORPUS "${CMAKE_BINARY_DIR}/tests/fuzz/corpus")
function(sallyport_unpack_corpus name)
  set(archive "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}.tar.xz")
  set(folder "${SALLYPORT_FUZZ_CORPUS}/${name}")
  set(unpacked "${SALLYPORT_FUZZ_CORPUS}/${name}.unpacked")
  # Anew, so that an input that has gone from the archive goes from the folder.
  add_custom_command(OUTPUT "${unpacked}"
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${folder}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
    COMMAND ${CMAKE_COMMAND} -E chdir "${folder}" ${CMAKE_COMMAND} -E tar xf "${archive}"
    COMMAND ${CMAKE_COMMAND} -E touch "${unpacked}"
    DEPENDS "${archive}" COMMENT "Unpacking the corpus of fuzz_${name}" VERBATIM)
  add_custom_target(corpus_${name} ALL DEPENDS "${unpacked}")
endfunction()

# sallyport_fuzz_target(NAME SOURCES ... DEPENDS ...): fuzz_NAME. Without libFuzzer it is linked with a main that
# replays its corpus, which ctest runs; in a release, where random inputs are made faster, it is built by name only.
function(sallyport_fuzz_target name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(fuzz_${name} ${arg_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE sallyport_flags ${arg_DEPENDS})
  if(SALLYPORT_FUZZ)
    target_sources(fuzz_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests/fuzz/sanitizers.cpp")
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(fuzz_${name} PRIVATE sallyport_fuzz_replay)
  endif()
  sallyport_unpack_corpus(${name})
  add_dependencies(fuzz_${name} corpus_${name})
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SALLYPORT_SANITIZE)
    set_target_properties(fuzz_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  set(corpus "${SALLYPORT_FUZZ_CORPUS}/${name}")
  if(SALLYPORT_FUZZ)
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} -runs=0 "${corpus}")
  else()
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} "${corpus}")
  endif()
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()
