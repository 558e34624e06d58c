# A header with the version of dfsim and a hash of every source that can move a measurement: prices in the cache are valid for
# one such hash only. Made anew at every build in which one of the sources has changed.
#
# Besides the simulator and the lowering these are the plain types and the oracle between them: a change there may change
# which program is run or what is read off its measurement.
set(rooms sim planner/graph planner/plan planner/ops planner/lower planner/cost)
set(patterns)
foreach(room IN LISTS rooms)
  list(APPEND patterns ${CMAKE_SOURCE_DIR}/${room}/*.h ${CMAKE_SOURCE_DIR}/${room}/*.cpp)
endforeach()
file(GLOB_RECURSE sources RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
list(SORT sources)
set(paths ${sources})
list(TRANSFORM paths PREPEND ${CMAKE_SOURCE_DIR}/)
list(JOIN sources "\n" lines)

set(DFSIM_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(version_header ${DFSIM_GENERATED_DIR}/generated/simulator_version.h)
file(CONFIGURE OUTPUT ${DFSIM_GENERATED_DIR}/simulator_sources.txt CONTENT "${lines}\n" @ONLY)
add_custom_command(
  OUTPUT ${version_header}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFILE_LIST=${DFSIM_GENERATED_DIR}/simulator_sources.txt
          -DVERSION=${PROJECT_VERSION} -DOUTPUT=${version_header}
          -P ${CMAKE_SOURCE_DIR}/cmake/WriteSimulatorVersion.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${version_header}
  DEPENDS ${paths} ${DFSIM_GENERATED_DIR}/simulator_sources.txt ${CMAKE_SOURCE_DIR}/cmake/WriteSimulatorVersion.cmake
  COMMENT "Hashing the sources of the simulator"
  VERBATIM)
