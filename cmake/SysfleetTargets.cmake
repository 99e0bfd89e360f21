# A room of the house is one folder and one library: every .cc file of the folder is part of it.

# sysfleet_library(NAME LIBRARY...): the library of the current folder and what it is built on.
function(sysfleet_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(/main|_test)\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARGN})
  endif()
endfunction()

# sysfleet_test(NAME LABEL LIBRARY...): one program from every *_test.cc of the current folder.
# LABEL is unit (no server, milliseconds), server (starts database servers) or system (whole programs).
function(sysfleet_test name label)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gmock GTest::gtest_main)
  # Compiling tests costs more than running them: only what they test is optimised.
  target_compile_options(${name} PRIVATE -O0 -g1)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  # Whole programs take minutes where the machine is slow.
  if(label STREQUAL "system")
    set(limit_s 1800)
  else()
    set(limit_s 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${limit_s})
endfunction()
