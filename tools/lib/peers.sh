# Makes the peers of the benchmarks that are programs of their own, in .build/peers. Sourced.

peers=$root/.build/peers

# build_qt_peer NAME SOURCE LIBRARY…: a program that uses Qt, unless it is newer than its source.
build_qt_peer() {
  local program=$peers/$1 source=$root/tools/Benchmarks/Peers/$2 flags
  shift 2
  [[ $program -nt $source ]] && return
  flags=$(pkg-config --cflags --libs "$@") || return
  # Newer compilers warn of Qt's own headers.
  flags=${flags//-I/-isystem }
  # shellcheck disable=SC2086 # one argument a flag
  clang++ -std=c++17 -O2 -fPIC -Wall -Wextra -Werror "$source" -o "$program" $flags
}

# Qt by Debian's packages, Skia and Blend2D by wheels. One that cannot be had has no figures.
make_peers() {
  install_packages peers
  mkdir -p "$peers/pictures"
  quietly 'building peers' "$logs/qt-raster.log" build_qt_peer qt-raster qt_raster.cpp Qt6Gui Qt6Widgets ||
    show_failure "$logs/qt-raster.log"
  quietly 'building peers' "$logs/qt-quick.log" build_qt_peer qt-quick qt_quick.cpp Qt6Quick || show_failure "$logs/qt-quick.log"
  quietly 'wheels' "$logs/wheels.log" install_wheels || show_failure "$logs/wheels.log"
}

install_wheels() {
  [[ -x $peers/python/bin/pip ]] || python3 -m venv "$peers/python" || return
  "$peers/python/bin/pip" install --quiet --only-binary :all: numpy skia-python blend2d-python
}
