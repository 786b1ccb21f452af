/** Completion scripts, made from the table of commands. Names of definitions and ids of runs are asked for when they are needed. */
import { shellQuote } from '../../platform/shell/shell-word.ts'

export interface Completed {
  name: string
  summary: string
  /** Such as `--json`. */
  flags: readonly string[]
  /** What its operands are. */
  takesName: boolean
  takesRun: boolean
  takesFile: boolean
  /** Or one of these words. */
  words: readonly string[]
}

/** Flags that take a value, such as `--home` and `-c`, by what the value is. A word after one is no operand. */
export interface Valued {
  runs: readonly string[]
  files: readonly string[]
  others: readonly string[]
  /** Flags that say where a command works: who asks for names passes them on. */
  places: readonly string[]
  /** Short forms, without their hyphen, by the long one. */
  shorts: ReadonlyMap<string, string>
}

const digit = (is: boolean) => Number(is)
const oneOf = (flags: readonly string[]) => flags.join('|') || "''"
/** Names of flags with their value in the same word. */
const joined = (flags: readonly string[]) => flags.flatMap((flag) => (flag.startsWith('--') ? [`${flag}=*`] : []))

function bash(commands: readonly Completed[], { runs, files, others, places }: Valued): string {
  const cases = commands.map(
    ({ name, flags, takesName, takesRun, takesFile, words }) =>
      `    ${name}) flags=${shellQuote(flags.join(' '))} fixed=${shellQuote(words.join(' '))} names=${digit(takesName)} runs=${digit(takesRun)} files=${digit(takesFile)} ;;`
  )
  return `# bash completion of troupe: source <(troupe completion bash)
# Names come from outside: each is compared and quoted here, and none is ever given to an expansion.
_troupe_put() {
  local quoted
  case $word in
    \\'*) [[ $1 == *\\'* ]] || COMPREPLY+=("$1") ;;
    \\"*) [[ $1 == *[\\"\\\\\\$\\\`!]* ]] || COMPREPLY+=("$1") ;;
    *)
      printf -v quoted %q "$1"
      [[ $word == \\~* ]] && quoted=\\~\${quoted#\\\\\\~}
      COMPREPLY+=("\${quoted#"$before"}")
      ;;
  esac
}
_troupe_ask() {
  local name quoted typed=\${word#[\\'\\"]} before=
  # Of a word that bash has split at : or =, the text before stays.
  case \${words[last]} in
    *[\\\\\\'\\"]*) ;;
    *[:=]*) typed=\${words[last]} before=\${typed%"\${typed##*[:=]}"} ;;
  esac
  while IFS= read -r name; do
    printf -v quoted %q "$name"
    [[ $name == "$typed"* || $quoted == "$typed"* ]] && _troupe_put "$name"
  done < <(troupe completion "$@" 2>/dev/null)
}
_troupe_files() {
  local name typed=\${word#[\\'\\"]} before=
  while IFS= read -r name; do
    [ -d "\${name/#\\~/$HOME}" ] && name=$name/ && compopt -o nospace 2>/dev/null
    _troupe_put "$name"
  done < <(compgen -f -- "\${typed//\\\\/}")
}
_troupe() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous= command= flags= fixed= names=0 runs=0 files=0 i
  # Split at blanks alone: bash also splits at : and =, which addresses have.
  local -a words place=()
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ \${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=('')
  local last=$((\${#words[@]} - 1))
  for ((i = 1; i < last; i++)); do
    case \${words[i]} in
      ${oneOf(places)}) place+=("\${words[i]}" "\${words[i+1]/#\\~/$HOME}"); i=$((i + 1)) ;;
      ${oneOf(joined(places))}) place+=("\${words[i]}") ;;
      ${oneOf([...runs, ...files, ...others].filter((flag) => !places.includes(flag)))}) [ -z "$command" ] || i=$((i + 1)) ;;
      -*) ;;
      *) [ -z "$command" ] && command=\${words[i]} ;;
    esac
  done
  [ "$last" -gt 0 ] && previous=\${words[last-1]}
  COMPREPLY=()
  case $previous in
    ${oneOf(runs)}) _troupe_ask runs "\${place[@]}"; return ;;
    ${oneOf(files)}) _troupe_files; return ;;
    ${oneOf(others)}) [ -n "$command" ] && return ;;
  esac
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W ${shellQuote(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case $command in
${cases.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;
  esac
  COMPREPLY=($(compgen -W "$fixed" -- "$word"))
  [ "$names" = 1 ] && _troupe_ask names "\${place[@]}"
  [ "$runs" = 1 ] && _troupe_ask runs "\${place[@]}"
  [ "$files" = 1 ] && _troupe_files
}
complete -F _troupe troupe
`
}

function zsh(commands: readonly Completed[], { runs, files, others, places }: Valued): string {
  const described = commands.map(
    ({ name, summary }) => `    ${shellQuote(`${name}:${summary.replaceAll(':', '\\:')}`)}`
  )
  const cases = commands.map(
    ({ name, flags, takesName, takesRun, takesFile, words }) =>
      `    ${name}) flags=(${flags.map(shellQuote).join(' ')}) fixed=(${words.map(shellQuote).join(' ')}) names=${digit(takesName)} runs=${digit(takesRun)} files=${digit(takesFile)} ;;`
  )
  return `#compdef troupe
# zsh completion of troupe: source <(troupe completion zsh)
_troupe() {
  local -a commands flags fixed found place
  local names=0 runs=0 files=0 command= i
  commands=(
${described.join('\n')}
  )
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      ${oneOf(places)}) place+=("$words[i]" "\${words[i+1]/#\\~/$HOME}"); i=$((i + 1)) ;;
      ${oneOf(joined(places))}) place+=("$words[i]") ;;
      ${oneOf([...runs, ...files, ...others].filter((flag) => !places.includes(flag)))}) [[ -n $command ]] && i=$((i + 1)) ;;
      -*) ;;
      *) [[ -z $command ]] && command=$words[i] ;;
    esac
  done
  case $words[CURRENT-1] in
    ${oneOf(runs)}) found=(\${(f)"$(troupe completion runs $place 2>/dev/null)"}); compadd -- $found; return 0 ;;
    ${oneOf(files)}) _files; return 0 ;;
    ${oneOf(others)}) [[ -n $command ]] && return 0 ;;
  esac
  if [[ -z $command ]]; then
    _describe command commands
    return
  fi
  case $command in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $flags
    return
  fi
  compadd -- $fixed
  if [[ $names = 1 ]]; then
    found=(\${(f)"$(troupe completion names $place 2>/dev/null)"})
    compadd -- $found
  fi
  if [[ $runs = 1 ]]; then
    found=(\${(f)"$(troupe completion runs $place 2>/dev/null)"})
    compadd -- $found
  fi
  [[ $files = 1 ]] && _files
  return 0
}
compdef _troupe troupe
`
}

function fish(commands: readonly Completed[], { runs, files, others, places, shorts }: Valued): string {
  const valued = [...runs, ...files, ...others]
  const early = places.flatMap((flag) =>
    flag.startsWith('--')
      ? [`complete -c troupe -n '__troupe_is ""' -l ${flag.slice(2)}${files.includes(flag) ? ' -r -F' : ' -x'}`]
      : []
  )
  const lines = commands.flatMap(({ name, summary, flags, takesName, takesRun, takesFile, words }) => {
    const when = `-n '__troupe_is ${name}'`
    const kind = (flag: string) =>
      runs.includes(flag)
        ? ` -x -a '(__troupe_ask runs)'`
        : files.includes(flag)
          ? ' -r -F'
          : others.includes(flag)
            ? ' -x'
            : ''
    const ask = (what: string) => `complete -c troupe ${when} -a '(__troupe_ask ${what})'`
    return [
      `complete -c troupe -n '__troupe_is ""' -f -a ${name} -d ${shellQuote(summary)}`,
      ...flags.map(
        (flag) =>
          `complete -c troupe ${when} -l ${flag.slice(2)}${shorts.has(flag) ? ` -s ${shorts.get(flag)}` : ''}${kind(flag)}`
      ),
      ...(words.length > 0 ? [`complete -c troupe ${when} -a ${shellQuote(words.join(' '))}`] : []),
      ...(takesName ? [ask('names')] : []),
      ...(takesRun ? [ask('runs')] : []),
      ...(takesFile ? [] : [`complete -c troupe ${when} -f`])
    ]
  })
  return `# fish completion of troupe: troupe completion fish | source
function __troupe_words
  set -l isValue 0
  for word in (commandline -opc)[2..]
    if test $isValue = 1
      set isValue 0
    else if contains -- $word ${valued.join(' ')}
      set isValue 1
    else if not string match -q -- '-*' $word
      echo $word
    end
  end
end
function __troupe_is
  set -l words (__troupe_words)
  test "$words[1]" = "$argv[1]"
end
function __troupe_ask
  set -l place
  set -l isValue 0
  for word in (commandline -opc)
    if test $isValue = 1
      set -a place (string replace -r '^~' $HOME -- $word)
      set isValue 0
    else if contains -- $word ${places.join(' ')}
      set -a place $word
      set isValue 1
    else if string match -qr -- '^(${joined(places)
      .map((flag) => flag.slice(0, -2))
      .join('|')})=' $word
      set -a place $word
    end
  end
  troupe completion $argv $place 2>/dev/null
end
${[...early, ...lines].join('\n')}
`
}

/** By the name of the shell. */
export const scripts: Readonly<Partial<Record<string, (commands: readonly Completed[], valued: Valued) => string>>> = {
  bash,
  zsh,
  fish
}
