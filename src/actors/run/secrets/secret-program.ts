/** A program that prints a secret. What it prints is kept in memory only. Source: docs/secrets.md. */
import { beginningOf, isTooLong, tooLong } from '../../../definition/shell/longest-text.ts'
import type { ExecutionEnd } from '../../../executors/executor.ts'
import type { CommandRules } from '../../../executors/limits/step-policy.ts'
import { secretsOf } from '../../../masking/secrets.ts'
import { type Account, asAccount } from '../../../platform/account.ts'
import { fittingEnvironment } from '../../step/fitting-environment.ts'
import { substitution } from '../run-environment.ts'

export interface SecretProgram {
  /** For the default shell. */
  command: string
  defaultShell: string
  /** Exists. */
  cwd: string
  /** Variables of the DAG. */
  own: Readonly<Record<string, string>>
  /** Variables of the server. */
  environment: Readonly<Record<string, string>>
  /** The user whom the program runs as; absent: that of the engine. */
  account?: Account | undefined
  /** Makes the group of its limits; absent: it has none. */
  enter?: CommandRules['enter'] | undefined
  /** Hides the values of other secrets in what it says. */
  mask(text: string): string
  /** Kills it. */
  signal: AbortSignal
}

/** Limit of the value of a secret, and of all of a run together, in bytes: they are passed in memory. */
export const LARGEST = 1_048_576
/** Limit of what the program says about its failure, in characters from the end. */
const MOST_SAID = 300

/** The output of a program, without one line break at the end. @throws Error why there is none, with the masked end of its stderr */
export async function printedBy(program: SecretProgram): Promise<string> {
  const { command, defaultShell, cwd, own, environment, account, enter, mask, signal } = program
  if (isTooLong(command)) throw tooLong(`the command ${beginningOf(command)}`, command)
  const { execa } = await import('execa') // a hundred modules that most engines never need
  const group = enter?.()
  const argv = [...(group?.words ?? []), ...asAccount(account, substitution(defaultShell, command))]
  const [shell = 'sh', ...args] = argv
  const child = execa(shell, args, {
    cwd,
    env: fittingEnvironment({ ...environment, ...own }),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: LARGEST,
    detached: true // a group of its own: what it has started ends with it
  })
  const kill = () => killGroup(child.pid)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const { exitCode, stdout, stderr, failed, isMaxBuffer, shortMessage } = await child
  signal.removeEventListener('abort', kill)
  const { limit } = group?.over<Pick<ExecutionEnd, 'exitCode' | 'limit'>>({ exitCode: exitCode ?? -1 }) ?? {}
  if (isMaxBuffer) {
    kill()
    throw new Error(`the command prints more than ${LARGEST} bytes`)
  }
  if (failed) {
    // D1610: what it printed may be the value; masked before it is cut, since a part of a value is none to a mask
    const { mask: maskOwn } = secretsOf({ printed: Buffer.from(stdout).toString('utf8') })
    const said = maskOwn(mask(Buffer.from(stderr).toString('utf8')))
      .trim()
      .slice(-MOST_SAID)
    const how = exitCode === undefined ? shortMessage : `exit status ${exitCode}`
    const cause = limit === undefined ? how : `${how}: ${limit}`
    throw new Error(`the command fails: ${cause}${said && `: ${said}`}`)
  }
  const text = Buffer.from(stdout).toString('utf8')
  if (!Buffer.from(text).equals(Buffer.from(stdout)))
    throw new Error('the command prints no UTF-8 text; have it encoded')
  if (text.trim() === '') throw new Error('the command prints nothing')
  return text.replace(/\r?\n$/, '')
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // The program has ended.
  }
}
