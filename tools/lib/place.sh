# Puts the files of a staging folder where they belong, writes down which, and removes them again. Sourced.
#
# Works on `stage`, a tree of files as they are to be; `destination`, a folder in front of every path, or nothing; and
# `manifest`, the list of what is there, one a line:
#   file PATH       placed by us
#   folder PATH     made by us
#   user NAME       made by us

root_command=()
# Runs a command with the rights that it takes to write where we install to.
as_root() { ${root_command[@]+"${root_command[@]}"} "$@"; }

# choose_rights PATH: our own rights if they are enough to make a file of this path, else sudo's.
choose_rights() {
  local folder=${1%/*}
  while [[ -n $folder && ! -d $folder ]]; do folder=${folder%/*}; done
  [[ -w ${folder:-/} ]] && return
  command -v sudo >/dev/null && sudo true ||
    die "You may not write to ${folder:-/}. Run this as root, or install for yourself:" "" "tools/install --prefix ~/.local"
  root_command=(sudo)
}

staged_paths() { (cd "$stage" && find . -type f | sed 's|^\.||' | LC_ALL=C sort); }

# remember LINE: adds a line to the list unless it is there.
remember() {
  grep -qxF -- "$1" "$destination$manifest" 2>/dev/null && return
  printf '%s\n' "$1" | as_root tee -a "$destination$manifest" >/dev/null
}

made_folders=()
# Makes a folder and those above it that are not there.
make_folder() {
  local path=$1 missing=()
  while [[ -n $path && ! -d $destination$path ]]; do
    missing=("$path" ${missing[@]+"${missing[@]}"})
    path=${path%/*}
  done
  for path in ${missing[@]+"${missing[@]}"}; do
    as_root install -d -m 755 "$destination$path"
    made_folders+=("$path")
  done
}

remember_folders() {
  local path
  for path in ${made_folders[@]+"${made_folders[@]}"}; do remember "folder $path"; done
  made_folders=()
}

place_staged() {
  local path
  [[ -z $destination ]] || mkdir -p "$destination"
  make_folder "${manifest%/*}"
  [[ -e $destination$manifest ]] || as_root install -m 644 /dev/null "$destination$manifest"
  remember "file $manifest"
  while read -r path; do
    make_folder "${path%/*}"
    remember_folders
    # Written down first: what is interrupted here can be removed all the same.
    remember "file $path"
    # A file of its own takes the old one's place, so that a program that runs is not disturbed.
    as_root install -m "$(stat -c %a "$stage$path")" "$stage$path" "$destination$path"
  done < <(staged_paths)
}

# Removes what the list names: files, then the folders that are empty by then.
remove_placed() {
  local path files=() folders=()
  mapfile -t files < <(sed -n 's/^file //p' "$destination$manifest")
  # The deepest first.
  mapfile -t folders < <(sed -n 's/^folder //p' "$destination$manifest" | LC_ALL=C sort -r)
  for path in ${files[@]+"${files[@]}"}; do as_root rm -f -- "$destination$path"; done
  for path in ${folders[@]+"${folders[@]}"}; do
    [[ ! -d $destination$path ]] || as_root rmdir --ignore-fail-on-non-empty -- "$destination$path"
  done
}
