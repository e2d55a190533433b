# The scripts print one calm line a step, with seconds, and a live line on a terminal. Sourced, never run.
# All of it goes to stderr, so that stdout stays the program's own.

if [[ -t 2 && "${TERM:-dumb}" != dumb ]]; then
  terminal=1 bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' yellow=$'\e[33m' plain=$'\e[0m' clear_line=$'\r\e[K'
else
  terminal='' bold='' dim='' red='' green='' yellow='' plain='' clear_line=''
fi

say() { printf '%s\n' "$*" >&2; }

# die LINE…: says what is wrong and what to do, then ends the script.
die() {
  printf '%s\n' "$@" >&2
  exit 1
}

microseconds() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

# seconds_since START: "12.3", from a figure of `microseconds`.
seconds_since() {
  local tenths=$((($(microseconds) - $1 + 50000) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# The last line of a log, cut to what fits beside the label and the seconds. ASCII, as `cut` counts bytes.
columns=80
[[ -z $terminal ]] || columns=$(tput cols 2>&2) || columns=80
last_step() {
  tail -n 1 -- "$1" 2>/dev/null | LC_ALL=C tr -cd '\40-\176' | sed -E 's/^ +//; s/ +/ /g' | cut -c "1-$((columns > 60 ? columns - 32 : 28))"
}

# How long a command may print nothing before it counts as stuck, in seconds.
silence_limit=900

# end_with_all_it_started SIGNAL: to the running command and all below it; some have process groups of their own.
end_with_all_it_started() {
  local pids
  mapfile -t pids < <(cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$running_group" '
    { pid = $1; sub(/.*\) . /, ""); parent[pid] = $1 }
    END { for (pid in parent) for (at = pid; at in parent; at = parent[at]) if (at == top) { print pid; break } }')
  kill "-$1" -- "-$running_group" "${pids[@]}" 2>/dev/null || true
}

# How often `quietly` prints a line where there is no terminal, in seconds.
progress_seconds=20

# quietly LABEL LOG COMMAND…: runs a command with its output in LOG and shows that it is alive: a live line on a terminal,
# otherwise a line every `progress_seconds`. Returns its status, 124 if it was stuck; prints nothing more.
running_group=''
quietly() {
  local label=$1 log=$2
  shift 2
  local start status=0 ticks=0 last_size=0 last_change=0 size
  start=$(microseconds)
  # A process group of its own, so that an interrupt here ends everything that the command started.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  running_group=$!
  set +m
  # /proc and not a signal: a command of `sudo` is root's, and takes none from here.
  while [[ -e /proc/$running_group ]]; do
    # Ticks of a tenth of a second. A look costs a process, so those at a long command are rare.
    if ((ticks < 50)); then
      sleep 0.1
      ticks=$((ticks + 1))
    else
      sleep 0.5
      ticks=$((ticks + 5))
    fi
    if [[ -n $terminal ]] && ((ticks % 5 == 0)); then
      printf '%s  %-18s %6s s  %s%s%s' "$clear_line" "$label" "$(seconds_since "$start")" "$dim" "$(last_step "$log")" \
        "$plain" >&2
    elif [[ -z $terminal ]] && ((ticks % (10 * progress_seconds) == 0)); then
      printf '  %-18s %6s s  %s\n' "$label" "$(seconds_since "$start")" "$(last_step "$log")" >&2
    fi
    if ((ticks % 10 == 0)); then
      size=$(stat -c %s "$log")
      # In looks and not by the clock, which goes on while the machine sleeps.
      ((size != last_size)) && last_size=$size last_change=$ticks
      if ((ticks - last_change >= silence_limit * 10)); then
        end_with_all_it_started KILL
        wait "$running_group" 2>/dev/null || true
        printf '\nerror: stuck: nothing was printed for %d s\n' "$silence_limit" >>"$log"
        status=124
        break
      fi
    fi
  done
  ((status == 124)) || wait "$running_group" || status=$?
  running_group=''
  [[ -n $terminal ]] && printf '%s' "$clear_line" >&2
  return "$status"
}

# show_failure LOG: prints the errors in a failed command's log, with the lines indented below a failed check; else its end.
show_failure() {
  local log=$1 errors
  errors=$(awk '
    function show() { if (shown++ < 40) print }
    /^[^ |]*[^|]*([Ee]rror|fatal):|^✘ Test .* recorded|WARNING: ThreadSanitizer|gate FAILED$/ { if (!seen[$0]++) show(); inside = 0; next }
    /^FAILED/ { show(); inside = 1; next }
    inside && /^ / { show(); next }
    { inside = 0 }' "$log")
  [[ -n $errors ]] || errors=$(tail -n 25 -- "$log")
  sed 's/^/    /' <<<"$errors" >&2
  say "    (all of it: ${log#"$root"/})"
}

# Cleans up when a script is interrupted; a script that has something to clean up redefines it.
on_interrupt() { :; }

end_running_group() {
  [[ -n $running_group ]] && end_with_all_it_started TERM
  [[ -n $terminal ]] && printf '%s' "$clear_line" >&2
  on_interrupt
  trap - "$1"
  kill -"$1" "$BASHPID"
}
# A subshell calls this too: it inherits no traps.
catch_signals() {
  local signal
  # shellcheck disable=SC2064 # expanded now
  for signal in INT TERM HUP; do trap "end_running_group $signal" "$signal"; done
}
catch_signals
