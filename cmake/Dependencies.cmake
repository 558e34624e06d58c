# Every third-party library, found once and wrapped so that the rest of the build names targets only.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Boost REQUIRED)  # Boost.Graph is header-only here
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)  # header-only
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

add_library(dfsim_options INTERFACE)
target_compile_options(dfsim_options INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # These see errors inside std::string and std::vector of libstdc++ where there are none (GCC bugs 105329, 105562, 105651).
  target_compile_options(dfsim_options INTERFACE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                                                 -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(dfsim_options INTERFACE ${CMAKE_SOURCE_DIR})
if(DFSIM_SANITIZE)
  target_compile_options(dfsim_options INTERFACE -fsanitize=${DFSIM_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=undefined)
  target_link_options(dfsim_options INTERFACE -fsanitize=${DFSIM_SANITIZE})
endif()

# SystemC. Debian's library is built as C++17 and checks that at link time through a symbol whose name contains the
# language version; stating the version here lets C++20 code use it. Rooms that include <systemc> link this target.
find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
find_library(SYSTEMC_LIBRARY systemc REQUIRED)
add_library(dfsim_systemc INTERFACE)
target_include_directories(dfsim_systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIR})
target_compile_definitions(dfsim_systemc INTERFACE SC_CPLUSPLUS=201703L)
target_link_libraries(dfsim_systemc INTERFACE ${SYSTEMC_LIBRARY})
