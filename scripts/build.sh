# Sourced by the other scripts: configures and builds one preset, quietly, with a line of progress now and then.

# build_preset PRESET FOLDER TARGET: progress goes to stderr; the whole log is shown if something fails. Two builds of one
# folder wait for each other.
build_preset() {
  local preset=$1 folder=$2 target=$3
  mkdir -p "$folder"
  (
    flock 9
    local log="$folder/build.log"
    if [[ ! -f "$folder/build.ninja" ]] && ! cmake --preset "$preset" >"$log" 2>&1; then
      cat "$log" >&2
      exit 1
    fi
    # Ninja's "[done/total]" at the start of a line becomes one line per tenth of the work.
    if ! NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --target "$target" 2>&1 | tee "$log" |
      awk -v name="$preset" '
        match($0, /^\[[0-9]+\/[0-9]+\]/) {
          split(substr($0, 2, RLENGTH - 2), part, "/")
          tenth = int(10 * part[1] / part[2])
          if (part[2] > 4 && tenth > shown) {
            shown = tenth
            printf "building (%s): %d of %d steps\n", name, part[1], part[2] > "/dev/stderr"
          }
        }'; then
      grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" >&2 || cat "$log" >&2
      exit 1
    fi
  ) 9>"$folder/.lock"
}
