# What is installed, and the packages that `cpack` makes of it: a .tar.gz and a .deb.
include(GNUInstallDirs)
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/dfsim)

# Completions and the man page are what the program itself says of its options.
set(shell_dir ${CMAKE_BINARY_DIR}/shell)
set(shell_files)
foreach(what bash zsh fish man)
  add_custom_command(
    OUTPUT ${shell_dir}/dfsim.${what}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_dir}
    COMMAND dfsim completion ${what} > ${shell_dir}/dfsim.${what}
    DEPENDS dfsim
    VERBATIM)
  list(APPEND shell_files ${shell_dir}/dfsim.${what})
endforeach()
add_custom_target(shell_files ALL DEPENDS ${shell_files})

install(TARGETS dfsim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs models traces DESTINATION ${CMAKE_INSTALL_DATADIR}/dfsim)
install(DIRECTORY docs/ DESTINATION ${doc_dir})
install(FILES README.md CHANGELOG.md DESTINATION ${doc_dir})
install(FILES LICENSE DESTINATION ${doc_dir} RENAME copyright)
install(FILES ${shell_dir}/dfsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dfsim)
install(FILES ${shell_dir}/dfsim.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _dfsim)
install(FILES ${shell_dir}/dfsim.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${shell_dir}/dfsim.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME dfsim.1)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME dfsim)
set(CPACK_PACKAGE_VENDOR dfsim)
set(CPACK_PACKAGE_CONTACT "dfsim developers <dfsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Reads a hardware description and a compute graph, searches for a dataflow strategy and measures every candidate by running it in a cycle-level SystemC simulator.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # names the libraries that the executable is linked with
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3")
include(CPack)
