# Counts what Swift's test libraries print. Sourced.

# count_swift_tests LOG: adds up what XCTest and Swift Testing say of themselves.
count_swift_tests() {
  local counts
  counts=$(awk '
    # XCTest: the outermost suite comes last.
    /^[\t ]*Executed [0-9]+ tests?, with/ {
      executed = $2; broken = 0; omitted = 0
      for (i = 3; i < NF; i++) {
        if ($(i + 1) ~ /^failures?$/) broken = $i
        if ($i ~ /^tests?$/ && $(i + 1) == "skipped") omitted = $(i - 1)
      }
    }
    # Swift Testing.
    /Test run with [0-9]+ tests?/ { for (i = 1; i <= NF; i++) if ($i == "with") { run = $(i + 1); break } }
    /^✘ Test .* failed after/ && !/^✘ Test run/ { wrong++ }
    /^➜ Test .* skipped/ { left_out++ }
    END {
      failed = broken + wrong; skipped = omitted + left_out
      print executed + run - failed - skipped, failed + 0, skipped + 0
    }' "$1")
  read -r passed failed skipped <<<"$counts"
  note="$passed tests"
  ((failed > 0)) && note+=", $failed failed"
  ((skipped > 0)) && note+=", $skipped skipped"
  return 0
}

# unfinished_tests LOG: those that began and did not end.
unfinished_tests() {
  awk -F "'" '
    /^Test Case .* started at/ { open[$2]++ }
    /^Test Case .* (passed|failed|skipped)/ { open[$2]-- }
    /^(◇|✔|✘|➜) Test [^ ]+ / { split($0, word, " "); if (word[3] == "case" || word[3] == "run") next }
    /^◇ Test .* started\.$/ { open[word[3]]++ }
    # One that has recorded an issue may still be under way.
    /^(✔|✘|➜) Test [^ ]+ (with [0-9]+ test cases? )?(passed|failed|skipped)/ { open[word[3]]-- }
    END { for (name in open) if (open[name] > 0) print "error: has not ended: " name }' "$1" | LC_ALL=C sort
}
