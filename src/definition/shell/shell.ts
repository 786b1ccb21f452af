/** From a step to the process that runs it. Texts are expanded already. Source: execution-semantics 4.1-4.3. */
import { TroupeError } from '../../errors.ts'
import { shellQuote } from '../../platform/shell/shell-word.ts'
import { isTooLong } from './longest-text.ts'
import { splitWords } from './words.ts'

/** What to execute. */
export interface Invocation {
  /** Program and arguments, to be executed directly. */
  argv: string[]
  /** Text for a script file (mode 0750) whose path replaces the word SCRIPT in `argv`. */
  script?: string
  /** Extension of the script with its dot; absent: none is needed. */
  scriptExtension?: string
}

/**
 * Stands in `argv` for the path of the script file: as a separate word, or within a text for a sh-like shell, where the path
 * is to be quoted. Holds a NUL, so no word of a definition can hold it.
 */
export const SCRIPT = '\0script'

/** A step's own words, expanded. */
export interface Spoken {
  command?: string
  /** Words of a list command with a script: no shell reads them. */
  argv?: string[]
  args: string[]
  script?: string
  /** What a shell that installs packages is to install; others take none. */
  packages?: string[]
}

/** Program and flags, expanded: of the step, of the DAG, and the default as one text. */
export interface Shells {
  step?: string[]
  dag?: string[]
  fallback: string
}

const SHELL_LIKE = new Set(['sh', 'bash', 'zsh', 'ksh', 'ash', 'dash'])

const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1).toLowerCase()

/** Runs a text by bash, in an environment of packages. */
const isNixShell = (program: string): boolean => baseName(program) === 'nix-shell'

/** Whether a program reads POSIX shell language, by its base name. */
export const isShellLike = (program: string): boolean => SHELL_LIKE.has(baseName(program)) || isNixShell(program)

/**
 * What reads a text. `shell`: a sh-like shell that has the step's variables in its environment; `away`: a sh-like shell that may
 * not have them, on another machine, in a container or behind another program; `other`: another program, such as python.
 */
export type ShellReader = 'shell' | 'away' | 'other'

/** Shells that keep the variables of their environment; zsh reserves names such as `path` and `status`. */
const KEEPS_VARIABLES = new Set(['sh', 'bash', 'dash', 'ash', 'ksh'])

/** @param words program and flags */
export function readerBy(words: string[]): ShellReader {
  if (KEEPS_VARIABLES.has(baseName(words[0] ?? 'sh'))) return 'shell'
  return words.some(isShellLike) ? 'away' : 'other'
}

/** The reader of program and flags in one text. */
export const readerOfText = (shell: string): ShellReader => lookedUp(shell).reader

/** Cached: asked for with each step, mostly for the default shell. */
function lookedUp(shell: string): ShellText {
  if (lately?.shell !== shell) {
    const words = splitWords(shell)
    lately = { shell, words, reader: readerBy(words) }
  }
  return lately
}
interface ShellText {
  shell: string
  words: readonly string[]
  reader: ShellReader
}
let lately: ShellText | undefined

/** Conventions of shells that are not sh-like. */
interface Dialect {
  /** Flag before a command text. */
  flag: string
  /** Flag before a script file. */
  fileFlag?: string
  extension?: string
  quote: (text: string) => string
}

const POWERSHELL: Dialect = { flag: '-Command', extension: '.ps1', quote: (text) => `'${text.replaceAll("'", "''")}'` }
const DIALECTS: Record<string, Dialect> = {
  powershell: POWERSHELL,
  pwsh: POWERSHELL,
  cmd: { flag: '/c', fileFlag: '/c', extension: '.bat', quote: (text) => `"${text.replaceAll('"', '""')}"` },
  fish: { flag: '-c', quote: (text) => `'${text.replace(/[\\']/g, '\\$&')}'` }
}
const POSIX: Dialect = { flag: '-c', quote: shellQuote }

const dialectOf = (program: string): Dialect => DIALECTS[baseName(program).replace(/\.exe$/, '')] ?? POSIX

/**
 * The process of a step. A command that is too long for an argument becomes a script.
 * @param shells the first of step, DAG and fallback is taken; an empty list names none
 * @throws TroupeError bad_request: `step command is required`
 */
export function invocation(step: Spoken, shells: Shells): Invocation {
  const { words: shell, named } = chosen(shells)
  const [program, ...flags] = shell
  const dialect = dialectOf(program)
  const strict = !named && SHELL_LIKE.has(baseName(program)) ? ['-e'] : []
  const args = step.args.map(dialect.quote)
  const nix = (text: string) => nixCommand(shell, step.packages ?? [], named ? text : `set -e; ${text}`)

  const ofFile = (script: string): Invocation => {
    if (isNixShell(program)) return { argv: nix(named ? `bash ${SCRIPT}` : `bash -e ${SCRIPT}`), script }
    const forFile = [...flags.flatMap((flag) => withoutCommandFlag(flag, dialect)), ...strict]
    if (dialect.fileFlag) forFile.push(dialect.fileFlag)
    const { extension } = dialect
    return { argv: [program, ...forFile, SCRIPT], script, ...(extension && { scriptExtension: extension }) }
  }

  if (step.script !== undefined) {
    const script = step.script.trim()
    const words = step.argv ?? (step.command ? splitWords(step.command) : undefined)
    if (words?.length) {
      const all = [...words, ...step.args]
      return { argv: isNixShell(program) ? nix([...all.map(shellQuote), SCRIPT].join(' ')) : [...all, SCRIPT], script }
    }
    const interpreter = named ? [] : shebang(script)
    return interpreter.length > 0 ? { argv: [...interpreter, SCRIPT], script } : ofFile(script)
  }

  if (!step.command?.trim()) throw new TroupeError('bad_request', 'step command is required')
  const text = [step.command, ...args].join(' ')
  // A file has no limit. A NUL is invalid for a shell, in a file as well: it is left to be refused.
  if (isTooLong(text) && !text.includes('\0')) return ofFile(text)
  return { argv: isNixShell(program) ? nix(text) : shellCommand([program, ...flags, ...strict], text) }
}

/** A shell, never without its program. */
type Words = [program: string, ...flags: string[]]

const shellWords = ([program = 'sh', ...flags]: readonly string[]): Words => [program, ...flags]

/** The step's before the DAG's, then the default. */
function chosen({ step, dag, fallback }: Shells): { words: Words; named: boolean } {
  const named = [step, dag].find((words) => words?.length)
  return { words: shellWords(named ?? lookedUp(fallback).words), named: named !== undefined }
}

/** What reads a command text. */
export const readerOf = ({ step, dag, fallback }: Shells): ShellReader => {
  const named = [step, dag].find((words) => words?.length)
  return named ? readerBy(named) : readerOfText(fallback)
}

/** Whether the shell that is used installs packages. */
export const takesPackages = (shells: Shells): boolean => isNixShell(chosen(shells).words[0])

// D709: backtick commands use the default shell in that shell's own way
/** The command line with which a shell, program and flags, runs a text. */
export function shellCommand(shell: string[], text: string): string[] {
  const [program, ...flags] = shellWords(shell)
  if (isNixShell(program)) return nixCommand([program, ...flags], [], text)
  const dialect = dialectOf(program)
  const present = flags.some((flag) => isCommandFlag(flag, dialect))
  return [program, ...flags, ...(present ? [] : [dialect.flag]), text]
}

const nixCommand = ([program, ...flags]: Words, packages: string[], text: string): string[] => [
  program,
  ...flags.filter((flag) => flag !== '--pure' && flag !== '--run'),
  ...packages.flatMap((name) => ['-p', name]),
  '--pure',
  '--run',
  text
]

/** `-c`, also among others as in `-lc`; `/c` and `-Command` in any case. */
const isCommandFlag = (flag: string, { flag: wanted }: Dialect) =>
  wanted === '-c' ? /^-[a-zA-Z]*c[a-zA-Z]*$/.test(flag) : flag.toLowerCase() === wanted.toLowerCase()

/** Flags for a script file: without the one that makes the next word a command text. */
function withoutCommandFlag(flag: string, dialect: Dialect): string[] {
  if (!isCommandFlag(flag, dialect)) return [flag]
  const rest = dialect.flag === '-c' ? flag.replace('c', '') : ''
  return rest.length > 1 ? [rest] : []
}

/** Words of `#!prog args` on the first line; none without one. */
const shebang = (script: string) => (script.startsWith('#!') ? splitWords(script.slice(2).split('\n', 1)[0] ?? '') : [])
