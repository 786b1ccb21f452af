/** From a step to the process that runs it. Texts are expanded already. Source: execution-semantics 4.1-4.3. */
import { TroupeError } from '../errors.ts'
import { shellQuote, splitWords } from './words.ts'

/** What to execute. */
export interface Invocation {
  /** Program and arguments, to be executed directly. */
  argv: string[]
  /** Text for a script file (mode 0750) whose path replaces the word SCRIPT in `argv`. */
  script?: string
  /** With its dot; absent: none is needed. */
  scriptExtension?: string
}

/** Stands in `argv` for the path of the script file. Holds a NUL, so no word of a definition can equal it. */
export const SCRIPT = '\0script'

/** A step's own words, expanded. */
export interface Spoken {
  command?: string
  argv?: string[]
  args: string[]
  script?: string
}

/** Program and flags, expanded: of the step, of the DAG, and the default as one text. */
export interface Shells {
  step?: string[]
  dag?: string[]
  fallback: string
}

const SHELL_LIKE = new Set(['sh', 'bash', 'zsh', 'ksh', 'ash', 'dash'])

const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1).toLowerCase()

/** Whether a program reads POSIX shell language, by its base name. */
export const isShellLike = (program: string): boolean => SHELL_LIKE.has(baseName(program))

/** Ways of the shells that are not sh-like. */
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
 * The process of a step.
 * @param shells the first of step, DAG and fallback is taken; an empty list names none
 * @throws TroupeError bad_request: `step command is required`
 */
export function invocation(step: Spoken, shells: Shells): Invocation {
  const named = [shells.step, shells.dag].find((words) => words?.length)
  const [program = 'sh', ...flags] = named ?? splitWords(shells.fallback)
  const dialect = dialectOf(program)
  const strict = !named && isShellLike(program) ? ['-e'] : []
  const args = step.args.map(dialect.quote)

  if (step.script !== undefined) {
    const script = step.script.trim()
    const words = step.argv ?? (step.command ? splitWords(step.command) : undefined)
    if (words?.length) return { argv: [...words, ...step.args, SCRIPT], script }
    const interpreter = named ? [] : shebang(script)
    if (interpreter.length > 0) return { argv: [...interpreter, SCRIPT], script }
    const forFile = [...flags.flatMap((flag) => withoutCommandFlag(flag, dialect)), ...strict]
    if (dialect.fileFlag) forFile.push(dialect.fileFlag)
    const { extension } = dialect
    return { argv: [program, ...forFile, SCRIPT], script, ...(extension && { scriptExtension: extension }) }
  }

  const line = step.command ?? (step.argv && commandLine(step.argv))
  if (!line?.trim()) throw new TroupeError('bad_request', 'step command is required')
  const present = flags.some((flag) => isCommandFlag(flag, dialect))
  const flag = present ? [] : [dialect.flag]
  return { argv: [program, ...flags, ...strict, ...flag, [line, ...args].join(' ')] }
}

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

/**
 * A list command as a line for the shell: an argument with a blank gets double quotes unless it has quotes already.
 * Choice: an empty argument becomes `""` rather than nothing.
 */
const commandLine = ([program = '', ...rest]: string[]) =>
  [
    program,
    ...rest.map((arg) => {
      if (arg !== '' && (!/\s/.test(arg) || /^(["'])[\s\S]*\1$/.test(arg))) return arg
      return `"${arg.replaceAll('"', '\\"')}"`
    })
  ].join(' ')
