# Runs stages, each with its seconds, the seconds that processors spent on it, and its counts. A stage that fails hides no other. Sourced.
#
#   stage NAME FUNCTION      runs a stage and prints its line
#   beside LANE FUNCTION     runs a function that calls `stage`, beside everything that follows
#   join LANE                waits for its stages
#   finish_stages START      prints the table of all stages and the closing line

stage_names=() stage_results=() stage_seconds=() stage_spent=() stage_notes=()
total_passed=0 total_failed=0 total_skipped=0

# Sets `spent` to the tenths of processor seconds of this shell and of the processes that it has waited for. Not a function that
# prints, which would run in a shell of its own.
look_at_processor_time() {
  local fields
  # The kernel counts in hundredths.
  read -ra fields <"/proc/$BASHPID/stat"
  spent=$(((fields[13] + fields[14] + fields[15] + fields[16]) / 10))
}

stage_log() { printf '%s' "$logs/${1//[^a-zA-Z0-9]/-}.log"; }

# A stage is a function. It sets `passed`, `failed` and `skipped` (checks, not stages) and `note`, writes to "$log", and
# returns non-zero if it failed. Without counts a stage counts as nothing when it passes and as one failure when it fails.
stage() {
  local name=$1 function=$2 start status=0 passed=0 failed=0 skipped=0 note='' log spent spent_before
  log=$(stage_log "$name")
  look_at_processor_time
  spent_before=$spent
  start=$(microseconds)
  "$function" || status=$?
  local seconds result
  seconds=$(seconds_since "$start")
  look_at_processor_time
  spent=$((spent - spent_before))
  ((status != 0 && failed == 0)) && failed=1
  if ((failed > 0)); then
    result=failed
  elif ((skipped > 0 && passed == 0)); then
    result=skipped
  else
    result=passed
  fi
  record_stage "$name" "$result" "$seconds" "$((spent / 10)).$((spent % 10))" "$note" "$passed" "$failed" "$skipped"
  [[ $result == failed && -f $log ]] && show_failure "$log"
  return 0
}

# skip_stage NAME REASON: records a stage that is left out.
skip_stage() { record_stage "$1" skipped - - "$2" 0 0 1; }

# Prints the line of a stage and keeps its figures; a lane writes them down for the script that started it.
record_stage() {
  stage_names+=("$1") stage_results+=("$2") stage_seconds+=("$3") stage_spent+=("$4") stage_notes+=("$5")
  total_passed=$((total_passed + $6)) total_failed=$((total_failed + $7)) total_skipped=$((total_skipped + $8))
  [[ -z $lane_results ]] || printf '%s\n' "$@" >>"$lane_results"
  [[ -n $joining ]] || print_stage "$1" "$2" "$3" "$4" "$5"
}

print_stage() {
  local color=$green
  [[ $2 == failed ]] && color=$red
  [[ $2 == skipped ]] && color=$yellow
  printf '%s  %-20s %s%-8s%s %8s %9s  %s\n' "$clear_line" "$1" "$color" "$2" "$plain" "$3" "$4" "$5" >&2
}

declare -A lanes=()
lane_results='' joining=''

# beside LANE FUNCTION: its stages print their lines when they end; `quietly` shows nothing live in a lane.
beside() {
  local name=$1 function=$2
  # With job control, since a shell without it starts background processes that ignore SIGINT, and tests send that.
  set -m
  (
    set +m
    lane_results=$logs/$name.lane
    : >"$lane_results"
    terminal='' progress_seconds=120
    catch_signals
    "$function"
    # bash forgets the status of a child whose process number it meets again, and numbers come back after 32,768.
    echo >"$logs/$name.ended"
  ) </dev/null &
  lanes[$name]=$!
  set +m
}

# Waits for the stages of a lane and counts them; one that ended early has failed.
join() {
  local name=$1 fields
  until [[ -e $logs/$name.ended ]] || ! kill -0 "${lanes[$name]}" 2>/dev/null; do
    [[ -z $terminal ]] || printf '%s  waiting for: %s' "$clear_line" "$name" >&2
    sleep 0.5
  done
  [[ -z $terminal ]] || printf '%s' "$clear_line" >&2
  unset "lanes[$name]"
  joining=1
  mapfile -t fields <"$logs/$name.lane"
  local index
  for ((index = 0; index + 7 < ${#fields[@]}; index += 8)); do record_stage "${fields[@]:index:8}"; done
  joining=''
  [[ -e $logs/$name.ended ]] || record_stage "$name" failed - - 'ended early' 0 1 0
}

end_lanes() {
  local name
  for name in "${!lanes[@]}"; do kill -TERM "${lanes[$name]}" 2>/dev/null || true; done
  for name in "${!lanes[@]}"; do wait "${lanes[$name]}" 2>/dev/null || true; done
}

# The table of all stages and the closing line; the status says whether anything failed.
finish_stages() {
  local start=$1 index log all_spent=0
  say ""
  printf '%s  %-20s %-8s %8s %9s%s\n' "$bold" stage result seconds processor "$plain" >&2
  for index in "${!stage_names[@]}"; do
    print_stage "${stage_names[index]}" "${stage_results[index]}" "${stage_seconds[index]}" "${stage_spent[index]}" \
      "${stage_notes[index]}"
    [[ ${stage_spent[index]} == - ]] || all_spent=$((all_spent + 10#${stage_spent[index]/./}))
  done
  printf '  %-20s %-8s %8s %9s\n' all '' "$(seconds_since "$start")" "$((all_spent / 10)).$((all_spent % 10))" >&2
  # Once more, below the table: the end of a long output is what people see first.
  for index in "${!stage_names[@]}"; do
    [[ ${stage_results[index]} == failed ]] || continue
    say ""
    say "failed: ${stage_names[index]}"
    log=$(stage_log "${stage_names[index]}")
    [[ ! -f $log ]] || show_failure "$log"
  done
  say ""
  printf '%d passed, %d failed' "$total_passed" "$total_failed"
  ((total_skipped > 0)) && printf ', %d skipped' "$total_skipped"
  printf '\n'
  ((total_failed == 0 && total_passed > 0))
}
