# Runs stages one after the other, each with its seconds and its counts; a failed one hides no other. Sourced.

stage_names=() stage_results=() stage_seconds=() stage_notes=()
total_passed=0 total_failed=0 total_skipped=0

# A stage is a function. It sets `passed`, `failed` and `skipped` (checks, not stages) and `note`, writes to "$log", and
# returns non-zero if it failed. With nothing counted a stage is worth nothing when it passes and one failure when it fails.
stage() {
  local name=$1 function=$2 start status=0 passed=0 failed=0 skipped=0 note='' log
  log=$logs/${name//[^a-zA-Z0-9]/-}.log
  start=$(microseconds)
  "$function" || status=$?
  local seconds result
  seconds=$(seconds_since "$start")
  ((status != 0 && failed == 0)) && failed=1
  if ((failed > 0)); then
    result=failed
  elif ((skipped > 0 && passed == 0)); then
    result=skipped
  else
    result=passed
  fi
  stage_names+=("$name") stage_results+=("$result") stage_seconds+=("$seconds") stage_notes+=("$note")
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
  print_stage "$name" "$result" "$seconds" "$note"
  [[ $result == failed && -f $log ]] && show_failure "$log"
  return 0
}

# A stage that is left out, with the reason.
skip_stage() {
  stage_names+=("$1") stage_results+=(skipped) stage_seconds+=(-) stage_notes+=("$2")
  total_skipped=$((total_skipped + 1))
  print_stage "$1" skipped - "$2"
}

print_stage() {
  local color=$green
  [[ $2 == failed ]] && color=$red
  [[ $2 == skipped ]] && color=$yellow
  printf '  %-20s %s%-8s%s %8s  %s\n' "$1" "$color" "$2" "$plain" "$3" "$4" >&2
}

# The table of all stages and the closing line; the status says whether anything failed.
finish_stages() {
  local start=$1 index slowest=()
  say ""
  printf '%s  %-20s %-8s %8s%s\n' "$bold" stage result seconds "$plain" >&2
  for index in "${!stage_names[@]}"; do
    print_stage "${stage_names[index]}" "${stage_results[index]}" "${stage_seconds[index]}" "${stage_notes[index]}"
  done
  printf '  %-20s %-8s %8s\n\n' all '' "$(seconds_since "$start")" >&2
  printf '%d passed, %d failed' "$total_passed" "$total_failed"
  ((total_skipped > 0)) && printf ', %d skipped' "$total_skipped"
  printf '\n'
  ((total_failed == 0 && total_passed > 0))
}
