/** A larger file is not read: `read` is for configuration and certificates. */
export const READ_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * The one program that runs in a node: bash that interprets its arguments (see operations.ts for their grammar and for
 * that of the answer). Data reaches it as arguments and standard input only, never as program text.
 *
 * How it stays cheap: a row of reads shares one `stat`, and files without many NULs are read by bash itself, so that
 * most reads cost no process at all; only other files go through `base64`. Commands write into two files that have no
 * name any more: they need no cleaning up, and a child that outlives its command cannot hold the answer back.
 *
 * Needs bash 5.0, coreutils and /proc, all of which are in every node image.
 */
export const NODE_SCRIPT = `
LC_ALL=C
shopt -s nullglob dotglob
read_limit=${READ_LIMIT_BYTES}
raw_limit=262144
part_limit=1000
stats=() parts=() cursor=0 form= text= total=0 reason= streams=

fail() {
  local words=$2
  # Bash puts its own name and line in front of the system's words.
  [[ $words =~ ^[a-z-]+': line '[0-9]+': '(.*)$ ]] && words=\${BASH_REMATCH[1]}
  printf '%s %d\\n%s\\n' "$1" "\${#words}" "$words"
}

# One stat for many files, kept in order; print_file walks along them.
load_stats() {
  cursor=0 stats=()
  (( $# )) && mapfile -d '' -t stats < <(exec stat -L --printf '%s %a %u %g %n\\0' -- "$@" 2>/dev/null)
}

# Takes in the bytes of file $1, which has $2 bytes as far as is known (0: unknown).
load_payload() {
  local count
  if (( $2 > 0 && $2 <= raw_limit )) && { mapfile -d '' -t -n "$part_limit" parts <"$1"; } 2>/dev/null; then
    printf -v text '%s' "\${parts[@]}"
    count=\${#parts[@]}
    form=
    if (( \${#text} + count == $2 )); then form=closed; fi
    if (( \${#text} + count - 1 == $2 )); then form=open; fi
    total=$2
    [[ $form ]] && return 0
  fi
  form=base64 parts=()
  if ! text=$(base64 -w0 2>&1 <"$1"); then
    reason=\${text:-"cannot be read"}
    return 1
  fi
  total=\${#text}
}

print_payload() {
  case $form in
    base64) printf 'base64 %d\\n%s\\n' "$total" "$text" ;;
    closed) printf 'raw %d\\n' "$total"; printf '%s\\0' "\${parts[@]}"; printf '\\n' ;;
    open)
      printf 'raw %d\\n%s' "$total" "\${parts[0]}"
      (( \${#parts[@]} > 1 )) && printf '\\0%s' "\${parts[@]:1}"
      printf '\\n' ;;
  esac
}

# Prints one file; 1: it is not there, 2: it cannot be read, for $reason.
print_file() {
  local at=$cursor record size mode user rest
  while (( at < \${#stats[@]} )) && [[ \${stats[at]#* * * * } != "$1" ]]; do (( ++at )); done
  record=\${stats[at]-}
  if [[ ! -f $1 || -z $record ]]; then
    reason="$1 is not a regular file"
    [[ -e $1 && ! -f $1 ]] && return 2
    reason="$1 does not exist"
    return 1
  fi
  cursor=$(( at + 1 ))
  size=\${record%% *} rest=\${record#* }
  mode=\${rest%% *} rest=\${rest#* }
  user=\${rest%% *} rest=\${rest#* }
  if (( size > read_limit )); then
    reason="$1 has $size bytes, more than the $read_limit that are read"
    return 2
  fi
  load_payload "$1" "$size" || return 2
  if (( total > read_limit * 4 / 3 + 4 )); then
    reason="$1 has more than the $read_limit bytes that are read"
    return 2
  fi
  printf 'file %s %s %s %d\\n%s\\n' "$mode" "$user" "\${rest%% *}" "\${#1}" "$1"
  print_payload
}

read_files() {
  local path present=()
  for path; do [[ -f $path ]] && present+=("$path"); done
  load_stats "\${present[@]}"
  for path; do
    print_file "$path"
    case $? in
      0) printf 'ok\\n' ;;
      1) fail missing "$reason" ;;
      *) fail failed "$reason" ;;
    esac
  done
}

read_directory() {
  local path present=()
  if [[ ! -d $1 ]]; then fail missing "$1 is not a folder that exists"; return; fi
  for path in "\${1%/}"/*"$2"; do [[ -f $path ]] && present+=("$path"); done
  load_stats "\${present[@]}"
  for path in "\${present[@]}"; do
    print_file "$path"
    # A file that went away in the meantime is no longer in the folder.
    (( $? == 2 )) && { fail failed "$reason"; return; }
  done
  printf 'ok\\n'
}

list_directory() {
  local record name entries=()
  if [[ ! -d $1 ]]; then fail missing "$1 is not a folder that exists"; return; fi
  set -- "\${1%/}"/"$2"*
  (( $# )) && mapfile -d '' -t entries < <(exec stat --printf '%s %n\\0' -- "$@" 2>/dev/null)
  if (( $# && ! \${#entries[@]} )); then fail failed "the folder's entries cannot be examined"; return; fi
  for record in "\${entries[@]}"; do
    name=\${record##*/}
    # Older bash lets .* match these two.
    [[ $name == . || $name == .. ]] && continue
    printf 'entry %s %d\\n%s\\n' "\${record%% *}" "\${#name}" "$name"
  done
  printf 'ok\\n'
}

# Two nameless files on descriptors 3 and 4 that take the streams of commands.
open_streams() {
  [[ $streams ]] && return 0
  local base folder
  for base in /tmp /run /dev/shm; do
    folder=$(mktemp -d -- "$base/rekindle.XXXXXXXXXX" 2>/dev/null) || continue
    exec 3>"$folder/stdout" 4>"$folder/stderr"
    rm -rf -- "$folder"
    streams=open
    return 0
  done
  return 1
}

print_stream() {
  local position
  read -r _ position </proc/self/fdinfo/$1
  if [[ ! -s /proc/self/fd/$1 ]]; then printf 'raw 0\\n\\n'; return; fi
  load_payload "/proc/self/fd/$1" "$position" || { form=base64 total=0 text=; }
  print_payload
}

run_command() {
  local seconds=$1 started code
  shift
  if ! type -P -- "$1" >/dev/null; then fail failed "there is no command $1 in the node"; return; fi
  if ! open_streams; then fail failed 'no folder takes temporary files (/tmp, /run, /dev/shm)'; return; fi
  # Opened anew for each command: emptied, and at the beginning.
  exec 3>/proc/self/fd/3 4>/proc/self/fd/4
  exec 3>>/proc/self/fd/3 4>>/proc/self/fd/4
  started=\${EPOCHREALTIME/./}
  # The outer redirection takes the shell's own remark on a command that was killed.
  { timeout -k 1 "$seconds" "$@" </dev/null >&3 2>&4 3>&- 4>&-; code=$?; } 2>/dev/null
  # timeout answers 137 where it had to kill, which is also what a command killed by others leaves.
  (( code == 137 && \${EPOCHREALTIME/./} - started >= seconds * 1000000 )) && code=124
  print_stream 3
  print_stream 4
  printf 'exit %d\\n' "$code"
}

drain() { head -c "$1" >/dev/null; }

# Writes $3 bytes of the input; prints the reason where it fails. Takes exactly these bytes whatever happens.
replace_file() {
  local folder=\${1%/*}/ scratch=\${2%/*}/ devices
  if ! devices=$(stat -c %d -- "$folder" "$scratch"); then drain "$3"; return 1; fi
  if [[ \${devices%%[[:space:]]*} != "\${devices##*[[:space:]]}" ]]; then
    drain "$3"
    printf '%s is on another file system than %s' "$2" "$1"
    return 1
  fi
  rm -f -- "$2" || { drain "$3"; return 1; }
  if head -c "$3" | { (umask 077; set -C; cat >"$2") || { cat >/dev/null; false; }; } && write_out "$@"; then
    return 0
  fi
  rm -f -- "$2"
  return 1
}

write_out() {
  local size
  size=$(stat -c %s -- "$2") || return 1
  if (( size != $3 )); then printf 'only %d of %d bytes arrived' "$size" "$3"; return 1; fi
  chown -- "$5:$6" "$2" && chmod -- "$4" "$2" && sync -- "$2" && mv -fT -- "$2" "$1" && sync -- "\${1%/*}/"
}

replace() {
  if [[ ! -d \${1%/*}/ ]]; then
    drain "$3"
    fail missing "\${1%/*}/ is not a folder that exists"
  elif reason=$(replace_file "$@" 2>&1); then
    printf 'ok\\n'
  else
    fail failed "\${reason:-"cannot be replaced"}"
  fi
}

remove() {
  if [[ ! -e $1 && ! -L $1 ]] || reason=$(rm -f -- "$1" 2>&1); then
    printf 'ok\\n'
  else
    fail failed "$reason"
  fi
}

while (( $# )); do
  case $1 in
    read)
      paths=()
      while [[ \${1-} == read ]]; do paths+=("$2"); shift 2; done
      read_files "\${paths[@]}" ;;
    read-directory) read_directory "$2" "$3"; shift 3 ;;
    list-directory) list_directory "$2" "$3"; shift 3 ;;
    run) run_command "$2" "\${@:4:$3}"; shift $(( $3 + 3 )) ;;
    replace) replace "\${@:2:6}"; shift 7 ;;
    remove) remove "$2"; shift 2 ;;
    *) printf 'rekindle-node: unknown operation %q\\n' "$1" >&2; exit 64 ;;
  esac
done
exit 0
`;
