# Looks whether Swift and the Debian packages of tools/packages.txt are there, and installs what is missing. Sourced.

# wanted_packages GROUP…: the packages of these groups, one a line; of those that one architecture has, these alone.
wanted_packages() {
  local architecture
  architecture=$(dpkg --print-architecture 2>/dev/null || true)
  awk -v groups=" $* " -v architecture="$architecture" '
    !/^#/ && NF && index(groups, " " $1 " ") {
      split($2, parts, "@")
      if ((parts[2] == "" || parts[2] == architecture) && !seen[parts[1]]++) print parts[1]
    }' "$root/tools/packages.txt"
}

# missing_packages GROUP…: the packages of these groups that are not installed. One call of dpkg-query: 10 ms.
missing_packages() {
  local wanted
  wanted=$(wanted_packages "$@")
  # shellcheck disable=SC2086 # one argument a package
  { dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null || true; } |
    awk -v wanted="$wanted" '
      $2 == "installed" { installed[$1] = 1 }
      END { n = split(wanted, names, "\n"); for (i = 1; i <= n; i++) if (!(names[i] in installed)) print names[i] }'
}

# install_packages GROUP…: quiet when nothing is missing.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is no Debian or Ubuntu system, so nothing is installed for you. framepace needs the equivalents of:" \
      "$(wanted_packages "$@" | paste -sd ' ')"
    return
  fi
  local missing as_root=()
  missing=$(missing_packages "$@" | paste -sd ' ')
  [[ -z $missing ]] && return

  if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo)
    else
      local prefix=''
      command -v sudo >/dev/null && prefix='sudo '
      die "framepace needs Debian packages that are not installed, and may not install them itself." \
        "Run this${prefix:+ line}$([[ -z $prefix ]] && printf ' as root'), then try again:" "" \
        "${prefix}apt-get install --no-install-recommends $missing" "" \
        "(Should apt not find one of them: ${prefix}apt-get update)"
    fi
  fi

  say "Installing with apt: $missing"
  local log apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  log=$(mktemp)
  local start
  start=$(microseconds)
  # shellcheck disable=SC2086 # one argument a package
  if quietly 'package lists' "$log" "${apt[@]}" update &&
    quietly 'packages' "$log" "${apt[@]}" install --yes --no-install-recommends $missing; then
    say "  installed in $(seconds_since "$start") s"
    rm -f "$log"
  else
    sed 's/^/    /' "$log" | tail -n 20 >&2
    rm -f "$log"
    die "apt could not install what is missing. The line was:" "" \
      "apt-get update && apt-get install --no-install-recommends $missing"
  fi
}

# The virtual machine's parts come from the archive, so apt must know it: a slim system is delivered without lists.
require_apt_lists() {
  apt-cache show linux-image-amd64 >/dev/null 2>&1 && return
  local update=(apt-get update)
  ((EUID == 0)) || update=(sudo -n "${update[@]}")
  local log
  log=$(mktemp)
  quietly 'package lists' "$log" "${update[@]}" ||
    die "apt knows no kernel for the virtual machine. Run 'apt-get update' as root, or tools/test --no-vm."
  rm -f "$log"
}

# Ends the script unless there is a Swift that can build this package.
require_swift() {
  local advice="framepace needs Swift 6.2 or later: https://www.swift.org/install/linux has it for Debian and Ubuntu,
with the packages that Swift itself needs."
  command -v swift >/dev/null || die "There is no 'swift' in PATH." "$advice"
  local text version
  text=$(swift --version 2>&1 || true)
  version=$(sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' <<<"$text" | head -n 1)
  # A library that is missing, mostly: that page lists the packages which Swift itself needs.
  [[ -n $version ]] || die "'swift --version' ($(command -v swift)) does not tell a version: $text" "$advice"
  local major=${version% *} minor=${version#* }
  if ((major < 6 || (major == 6 && minor < 2))); then
    die "The Swift in PATH ($(command -v swift)) is version $major.$minor." "$advice"
  fi
}
