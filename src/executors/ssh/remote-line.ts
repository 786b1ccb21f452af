/**
 * What a session is told: one text for the login shell, and what goes to its stdin. Values of variables go through stdin:
 * anybody on that machine can read a command line. Source: execution-semantics 10.3.4-10.3.7, 14.4.6.
 */
import { isShellLike } from '../../definition/shell/shell.ts'
import { shellQuote, splitWords } from '../../definition/shell/words.ts'
import type { Execution } from '../executor.ts'

export interface RemoteLine {
  line: string
  /** Empty: the command reads nothing. */
  stdin: string
}

export type Spoken = Pick<Execution, 'command' | 'argv' | 'args' | 'script' | 'remoteEnv' | 'shells'>

// D623
/**
 * @param mark a word that nobody knows; the shell says it on stderr, with the id of its process group, before all else
 * @throws Error for a variable that no shell can have
 */
export function remoteLine(spoken: Spoken, mark: string): RemoteLine {
  const { text, stdin } = workOf(spoken)
  const isLong = Buffer.byteLength(text) > LONGEST
  const variables = [...exportsOf(spoken.remoteEnv ?? {}), ...(isLong ? [`troupe_text=${onOneLine(text)}`] : [])]
  const announce = `printf '%s %s\\n' ${mark} "$$" >&2`
  if (variables.length === 0) return { line: `${announce}\n${text}`, stdin }
  const line = `${announce}; ${TAKE_VARIABLES}\n${isLong ? RUN_TEXT : text}`
  return { line, stdin: `${variables.join('; ')}\n${stdin}` }
}

/**
 * Bytes of a text that the login shell is given as its argument. Linux takes 128 KiB there. OpenSSH ends the connection at a
 * request of more than 256 KiB, and with it the steps that share it. A longer text comes as a variable.
 */
const LONGEST = 100_000
const RUN_TEXT = 'eval "unset troupe_text; $troupe_text"'

/** `read` takes one line and not a byte more: what follows is the script's. A line break in a value is a variable in it. */
const TAKE_VARIABLES = 'troupe_nl=\'\n\'; IFS= read -r troupe_env; eval "$troupe_env"; unset troupe_nl troupe_env'

function exportsOf(env: Record<string, string>): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new Error(`env ${name}: a shell on another machine has no variable of this name; use letters, digits and _`)
    return `export ${name}=${onOneLine(value)}`
  })
}

const onOneLine = (value: string) => shellQuote(value).replaceAll('\n', `'"$troupe_nl"'`)

function workOf({ command, argv, args, script, shells }: Spoken): { text: string; stdin: string } {
  const words = args.map(shellQuote)
  const line = argv ? [...argv.map(shellQuote), ...words] : command !== undefined ? [command, ...words] : undefined
  if (script === undefined) return { text: (line ?? []).join(' '), stdin: '' }
  // Choice: with a command, the script is what it reads.
  const text = line ?? ['exec', ...interpreter(script, shells.step), ...words]
  return { text: text.join(' '), stdin: script.endsWith('\n') ? script : `${script}\n` }
}

/** The shell that the step names, the interpreter that the script names, or `sh -e`; told to read its stdin. */
function interpreter(script: string, named: string[] = []): string[] {
  const [program] = named
  if (program) {
    // `-c` would take the next word for the script.
    const flags = named.slice(1).filter((flag) => !/^-[a-z]*c[a-z]*$/i.test(flag))
    return [...[program, ...flags].map(shellQuote), ...(isShellLike(program) ? ['-s', '--'] : ['-'])]
  }
  const [shebang = ''] = /^#!.*/.exec(script.trimStart()) ?? []
  const words = splitWords(shebang.slice(2))
  return words.length > 0 ? [...words.map(shellQuote), '-'] : ['sh', '-e', '-s', '--']
}
