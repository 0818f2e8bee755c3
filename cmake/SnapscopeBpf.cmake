# snapscope_bpf_skeleton(NAME SOURCE): compiles one BPF program with clang and
# makes the target NAME, whose include directory holds NAME.skel.h.

find_program(CLANG_PROGRAM NAMES clang-14 clang REQUIRED)
find_program(BPFTOOL_PROGRAM bpftool PATHS /usr/sbin /sbin REQUIRED)
execute_process(
  COMMAND ${CMAKE_C_COMPILER} -print-multiarch
  OUTPUT_VARIABLE SNAPSCOPE_MULTIARCH
  OUTPUT_STRIP_TRAILING_WHITESPACE)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  set(SNAPSCOPE_BPF_ARCH arm64)
else()
  set(SNAPSCOPE_BPF_ARCH x86)
endif()

function(snapscope_bpf_skeleton name source)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/bpf")
  file(MAKE_DIRECTORY "${out}")
  add_custom_command(
    OUTPUT "${out}/${name}.skel.h"
    COMMAND ${CLANG_PROGRAM} -target bpf -O2 -g -Wall -Werror -D__TARGET_ARCH_${SNAPSCOPE_BPF_ARCH}
            -I${PROJECT_SOURCE_DIR}/probes/include -I/usr/include/${SNAPSCOPE_MULTIARCH} -MD -MF "${out}/${name}.d" -c
            "${source}" -o "${out}/${name}.bpf.o"
    COMMAND ${BPFTOOL_PROGRAM} gen skeleton "${out}/${name}.bpf.o" name ${name} > "${out}/${name}.skel.h"
    DEPENDS "${source}"
    DEPFILE "${out}/${name}.d"
    COMMENT "BPF program ${name}"
    VERBATIM)
  add_custom_target(${name}_generate DEPENDS "${out}/${name}.skel.h")
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_generate)
  target_include_directories(${name} SYSTEM INTERFACE "${out}")
  target_link_libraries(${name} INTERFACE PkgConfig::LIBBPF)
endfunction()
