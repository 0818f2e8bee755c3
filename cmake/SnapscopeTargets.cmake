# snapscope_library(NAME SOURCES ... DEPENDS ...) and snapscope_test(NAME
# SOURCES ... DEPENDS ...): one warning level and one language level for all.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Another checkout of the same source finds the same objects.
  set(CMAKE_C_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

add_library(snapscope_options INTERFACE)
target_compile_options(
  snapscope_options
  INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion
            $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
            $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)

# The library snapscope_NAME; its public headers live in include/snapscope/NAME.
function(snapscope_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(snapscope_${name} STATIC ${arg_SOURCES})
  target_include_directories(snapscope_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/include"
                                               PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(
    snapscope_${name}
    PUBLIC ${arg_DEPENDS}
    PRIVATE snapscope_options)
endfunction()

# A test program; its cases become ctest tests with one label.  ALONE: each runs
# while no other test does.
function(snapscope_add_test name label)
  cmake_parse_arguments(arg "ALONE" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} snapscope_options GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SNAPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} PROPERTIES LABELS ${label} RUN_SERIAL ${arg_ALONE} DISCOVERY_TIMEOUT 60)
endfunction()

# Parts by themselves: data in, data out.
function(snapscope_test name)
  snapscope_add_test(${name} unit ${ARGN})
endfunction()

# Against a real server, kernel or host.
function(snapscope_integration_test name)
  snapscope_add_test(${name} integration ${ARGN})
endfunction()
