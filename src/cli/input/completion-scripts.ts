/** Completion scripts, made from the table of commands. Names of definitions and DAGs are asked for when they are needed. */

export interface Completed {
  name: string
  summary: string
  /** Such as `--json`. */
  flags: readonly string[]
  /** It takes the name of a definition or DAG, or files. */
  takesName: boolean
  takesFile: boolean
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ name, flags, takesName, takesFile }) =>
      `    ${name}) flags=${quoted(flags.join(' '))} names=${Number(takesName)} files=${Number(takesFile)} ;;`
  )
  return `# bash completion of troupe: source <(troupe completion bash)
_troupe() {
  local word=\${COMP_WORDS[COMP_CWORD]} command= flags= names=0 files=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in -*) ;; *) command=\${COMP_WORDS[i]}; break ;; esac
  done
  COMPREPLY=()
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case $command in
${cases.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;
  esac
  [ "$names" = 1 ] && COMPREPLY=($(compgen -W "$(troupe completion names 2>/dev/null)" -- "$word"))
  [ "$files" = 1 ] && COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _troupe troupe
`
}

function zsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`)
  const cases = commands.map(
    ({ name, flags, takesName, takesFile }) =>
      `    ${name}) flags=(${flags.map(quoted).join(' ')}) names=${Number(takesName)} files=${Number(takesFile)} ;;`
  )
  return `#compdef troupe
# zsh completion of troupe: source <(troupe completion zsh)
_troupe() {
  local -a commands flags found
  local names=0 files=0 command= word
  commands=(
${described.join('\n')}
  )
  for word in \${words[2,CURRENT-1]}; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
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
  if [[ $names = 1 ]]; then
    found=(\${(f)"$(troupe completion names 2>/dev/null)"})
    compadd -- $found
  fi
  [[ $files = 1 ]] && _files
  return 0
}
compdef _troupe troupe
`
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, flags, takesName, takesFile }) => {
    const when = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`
    return [
      `complete -c troupe -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...flags.map((flag) => `complete -c troupe ${when} -l ${flag.slice(2)}`),
      ...(takesName ? [`complete -c troupe ${when} -a '(troupe completion names 2>/dev/null)'`] : []),
      ...(takesFile ? [] : [`complete -c troupe ${when} -f`])
    ]
  })
  return `# fish completion of troupe: troupe completion fish | source\n${lines.join('\n')}\n`
}

/** By the name of the shell. */
export const scripts: Readonly<Partial<Record<string, (commands: readonly Completed[]) => string>>> = {
  bash,
  zsh,
  fish
}
