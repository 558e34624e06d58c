# Sourced by the other scripts: configures and builds one preset, quietly, with a line of progress now and then.

# show_progress NAME: reads the lines of a build.
show_progress() {
  local name=$1 line shown=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    local part=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    if ((all > 4 && 10 * part / all > shown)); then
      shown=$((10 * part / all))
      printf 'building (%s): %d of %d steps\n' "$name" "$part" "$all" >&2
    fi
  done
}

# build_preset PRESET FOLDER TARGET: progress goes to stderr; the whole log is shown if something fails. Two builds of one
# folder wait for each other.
build_preset() {
  local preset=$1 folder=$2 target=$3
  mkdir -p "$folder"
  (
    flock 9
    local log="$folder/build.log"
    # A folder that was configured by hand, with whatever generator, is used as it is.
    if [[ ! -f "$folder/build.ninja" && ! -f "$folder/Makefile" ]] && ! cmake --preset "$preset" >"$log" 2>&1; then
      cat "$log" >&2
      exit 1
    fi
    # Ninja's "[done/total]" at the start of a line becomes one line per tenth of the work.
    if ! NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --target "$target" --parallel "$(nproc)" 2>&1 | tee "$log" |
      show_progress "$preset"; then
      grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" >&2 || cat "$log" >&2
      exit 1
    fi
  ) 9>"$folder/.lock"
}
