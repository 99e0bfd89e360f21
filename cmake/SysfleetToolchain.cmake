# Compiler and linker settings that every target shares.
include_directories(${CMAKE_SOURCE_DIR})
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(SYSFLEET_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

if(SYSFLEET_SANITIZERS)
  add_compile_options(-fsanitize=${SYSFLEET_SANITIZERS} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SYSFLEET_SANITIZERS})
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
