# The builds, each with the flags it always has, so that nothing is built twice. Sourced.
#   debug    .build        the strict one: warnings are errors, imports must be declared; all tests
#   thread   .build-tsan   thread sanitizer, of the test targets that it runs
#   optimized .build-optimized  all tests in a release build, for `tools/test --long`
#   release  .build        what people run: the standard library is linked in, so that the virtual machine can run it too

# A developer's shell may have it set, to build less; scripts build all.
unset FRAMEPACE_TESTS

debug_flags=(--explicit-target-dependency-import-check error)
# Each module in one piece, which is built once and takes a third less.
thread_flags=(--scratch-path "$root/.build-tsan" --sanitize thread -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2)
optimized_flags=(--scratch-path "$root/.build-optimized" --configuration release -Xswiftc -enable-testing)
release_flags=(--configuration release --static-swift-stdlib)

binary=$root/.build/release/framepace
stamp=$root/.build/framepace.stamp
logs=$root/.build/logs

# The toolchain as far as a stat tells it: a new one must build anew.
toolchain() {
  local swift
  swift=$(command -v swift) && stat -L -c '%n %Y %s' "$swift"
}

# Whether the release binary is newer than everything that it is made of. A folder's time tells what was added or removed.
release_is_current() {
  [[ -x $binary && -f $stamp && "$(<"$stamp")" == "$(toolchain)" ]] || return 1
  [[ -z $(find "$root/Package.swift" "$root/Sources" "$root/Samples" "$root/tools/packages.txt" "$root/tools/lib/build.sh" \
    -newer "$stamp" -print -quit) ]]
}

# build_release_product NAME
build_release_product() {
  quietly "building $1" "$logs/release-$1.log" swift build --package-path "$root" "${release_flags[@]}" --product "$1"
}

# Builds the command. The stamp bears the time at which the build began: what changes meanwhile is built next time.
build_release() {
  mkdir -p "$logs"
  local began=$stamp.began
  toolchain >"$began"
  quietly 'building' "$logs/release.log" \
    swift build --package-path "$root" "${release_flags[@]}" --product framepace || return
  mv "$began" "$stamp"
}

# Builds the command unless it is newer than everything that it is made of. Ends the script when that fails.
require_release() {
  release_is_current && return
  require_swift
  if [[ -x $binary ]]; then
    say "Building framepace (release)"
  else
    say "Building framepace (release); the first time takes minutes"
  fi
  local start
  start=$(microseconds)
  if ! build_release; then
    show_failure "$logs/release.log"
    die "The build failed after $(seconds_since "$start") s."
  fi
  say "  built in $(seconds_since "$start") s"
}

# forget_plan CONFIGURATION: makes the next build plan anew. A build folder remembers the plan of the package that was built
# in it last and would take it for another package's.
forget_plan() {
  rm -f "$root/.build/$1.yaml" "$root"/.build/*/"$1"/description.json
}

# build_other FOLDER CONFIGURATION FLAG…: builds a package that depends on this one, in this one's build folder: with the
# same flags everything but its own sources is there already.
build_other() {
  local folder=$1 configuration=$2 status=0
  shift 2
  forget_plan "$configuration"
  (cd "$folder" && swift build --scratch-path "$root/.build" "$@") || status=$?
  forget_plan "$configuration"
  return "$status"
}

# An interrupted build of another package may have left its plan behind.
on_interrupt() {
  forget_plan debug
  forget_plan release
}
