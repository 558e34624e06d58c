# Sourced by the other scripts: the Debian packages that dfsim is built from, and a function that installs those that are
# missing. On a system without dpkg nothing is done; CMake then says what it does not find.

dfsim_packages=(
  g++ cmake ninja-build pkg-config
  libsystemc-dev libboost-graph-dev libyaml-cpp-dev libfmt-dev libgtest-dev libcli11-dev nlohmann-json3-dev
  libsqlite3-dev libxxhash-dev libeigen3-dev zlib1g-dev libprotozero-dev libbenchmark-dev
)

# install_packages NAME...: installs the missing ones, quietly.
install_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "missing Debian packages, and no sudo to install them: ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  echo "installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
