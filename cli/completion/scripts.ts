/** What a shell loads: each asks `cdrc completion candidates` for the words that may stand at the cursor. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

// Bash ends a word at `=` and `:` too, so what stands before them is not repeated. Nothing here is newer than bash 3.2.
const bash = String.raw`# cdrc completion for bash: source <(cdrc completion bash)
_cdrc() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="" kind="" word hint prefix
  local -a words
  read -ra words <<< "$line"
  if [[ "$line" != *[[:space:]] ]]; then
    current="\${words[\${#words[@]} - 1]}"
    unset "words[\${#words[@]} - 1]"
  fi
  prefix="\${current%"\${current##*[=:]}"}"
  COMPREPLY=()
  while IFS=$'\t' read -r word hint; do
    if [[ -z "$kind" ]]; then
      kind="$word"
    else
      word="\${word#"$prefix"}"
      if [[ "$word" == *" "* ]]; then printf -v word %q "$word"; fi
      COMPREPLY+=("$word")
    fi
  done < <(CDRC_WORDS_BEHIND="\${COMP_LINE:COMP_POINT}" "\${words[0]}" completion candidates -- "\${words[@]:1}" "$current" 2> /dev/null)
  case "$kind" in
    files) compopt -o default 2> /dev/null ;;
    folders) compopt -o dirnames 2> /dev/null ;;
    *) [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[=.] ]] && compopt -o nospace 2> /dev/null ;;
  esac
  return 0
}
complete -F _cdrc cdrc
`;

const zsh = String.raw`#compdef cdrc
# cdrc completion for zsh: source <(cdrc completion zsh)
_cdrc() {
  local entry word
  local -a reply whole begun
  reply=("\${(@f)$(CDRC_WORDS_BEHIND="\${words[CURRENT+1,-1]}" "\${words[1]}" completion candidates -- "\${(@)words[2,CURRENT-1]}" "\${words[CURRENT]}" 2> /dev/null)}")
  case "\${reply[1]}" in
    words)
      for entry in "\${(@)reply[2,-1]}"; do
        word="\${\${entry%%$'\t'*}//:/\\:}"
        if [[ "$word" == *[=.] ]]; then begun+=("$word:\${entry#*$'\t'}"); else whole+=("$word:\${entry#*$'\t'}"); fi
      done
      (( \${#whole} )) && _describe -t words cdrc whole
      (( \${#begun} )) && _describe -t words cdrc begun -S ""
      return 0
      ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ "\${funcstack[1]}" == _cdrc ]]; then _cdrc "$@"; else compdef _cdrc cdrc; fi
`;

const fish = String.raw`# cdrc completion for fish: cdrc completion fish | source
function __cdrc_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l reply ($words[1] completion candidates -- $words[2..-1] "$current" 2> /dev/null)
  switch "$reply[1]"
    case words
      printf '%s\n' $reply[2..-1]
    case files
      __fish_complete_path "$current"
    case folders
      __fish_complete_directories "$current"
  end
end
complete -c cdrc -f -a '(__cdrc_complete)'
`;

// `String.raw` keeps the backslash before `${`, which only keeps it from being read here.
const plain = (text: string): string => text.replaceAll("\\${", "${");

export const scripts: Readonly<Record<Shell, string>> = { bash: plain(bash), zsh: plain(zsh), fish: plain(fish) };
