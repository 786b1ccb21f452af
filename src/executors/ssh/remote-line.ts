/**
 * The command of a session: one text for the login shell, and its stdin. Values of variables go through stdin, because
 * every user of that machine can read command lines. Source: execution-semantics 10.3.4-10.3.7, 14.4.6.
 */
import { isShellLike } from '../../definition/shell/shell.ts'
import { splitWords } from '../../definition/shell/words.ts'
import { shellQuote } from '../../platform/shell/shell-word.ts'
import type { Execution } from '../executor.ts'

export interface RemoteLine {
  line: string
  /** Empty: the command has no input. */
  stdin: string
}

export type Spoken = Pick<Execution, 'command' | 'argv' | 'args' | 'script' | 'remoteEnv' | 'shells'>

// D623: backticks in a script are the remote shell's
/**
 * @param mark a secret word; the shell first prints it on stderr, with the id of its process group
 * @throws Error for an invalid variable name
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
 * Greatest size of a text that is passed to the login shell as an argument, bytes. Linux allows 128 KiB. OpenSSH closes the
 * connection on a request of more than 256 KiB, and with it all steps that share it. A longer text is passed as a variable.
 */
const LONGEST = 100_000
const RUN_TEXT = 'eval "unset troupe_text; $troupe_text"'

/** `read` consumes exactly one line: the rest of stdin is for the script. A line break in a value is encoded as a variable. */
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
  // Choice: with a command, the script is its stdin.
  const text = line ?? ['exec', ...interpreter(script, shells.step), ...words]
  return { text: text.join(' '), stdin: script.endsWith('\n') ? script : `${script}\n` }
}

/** The shell of the step, the interpreter of the script, or `sh -e`, reading from stdin. */
function interpreter(script: string, named: string[] = []): string[] {
  const [program] = named
  if (program) {
    // `-c` would treat the next word as the script.
    const flags = named.slice(1).filter((flag) => !/^-[a-z]*c[a-z]*$/i.test(flag))
    return [...[program, ...flags].map(shellQuote), ...(isShellLike(program) ? ['-s', '--'] : ['-'])]
  }
  const [shebang = ''] = /^#!.*/.exec(script.trimStart()) ?? []
  const words = splitWords(shebang.slice(2))
  return words.length > 0 ? [...words.map(shellQuote), '-'] : ['sh', '-e', '-s', '--']
}
