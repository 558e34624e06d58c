# Run as a script: writes OUTPUT, a header with the hash of all FILES (a list in the file FILE_LIST, names relative to ROOT),
# and leaves it alone if it would not change.
file(STRINGS ${FILE_LIST} files)
set(text "")
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} hash)
  string(APPEND text "${file} ${hash}\n")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 32 hash)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by cmake/WriteSimulatorVersion.cmake.
#pragma once

#define DFSIM_VERSION "@VERSION@"
#define DFSIM_SIMULATOR_HASH "@hash@"
]])
