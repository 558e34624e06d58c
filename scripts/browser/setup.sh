# Sourced by the checks that need a browser: installs Chromium and what drives it, outside of the source tree.

# browser_setup ROOT: sets `browser` to a folder with the scripts and their npm packages. Extra arguments are Debian packages.
browser_setup() {
  local root=$1
  shift
  source "$root/scripts/packages.sh"
  local node=()
  command -v npm >/dev/null || node=(nodejs npm)  # however they came here
  install_packages chromium "${node[@]}" "$@"
  browser=$root/build/browser
  mkdir -p "$browser"
  cp "$root"/scripts/browser/*.mjs "$root/scripts/browser/package.json" "$browser/"
  [[ -d $browser/node_modules/puppeteer-core && -d $browser/node_modules/axe-core ]] ||
    npm install --prefix "$browser" --no-audit --no-fund --loglevel error >&2
}
