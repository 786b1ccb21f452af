/** The order to the process that masks a step's output on its way to the logs. Source: execution-semantics 14.4.6, architecture 4. */
import { fileURLToPath } from 'node:url'
import type { SecretValues } from '../../masking/patterns.ts'
import type { Account } from '../../platform/account.ts'
import type { Job } from './job.ts'

/** What the process is told. */
export interface MaskOrder {
  values: SecretValues
  /** The user whom copies are written as; absent: that of the launcher. */
  account?: Pick<Account, 'uid' | 'gid' | 'groups'>
  /** Stdout, then stderr. */
  streams: { log: string; copies: string[]; marks?: string }[]
}

/** Exit codes when the copy of a stream could not be written. */
export const COPY_FAILED = { stdout: 11, stderr: 12 }
export const LEADER_ENDED = '.'
/** How long the masking process may go on after the end of the leader: only one that hangs does, as on a dead file system. */
export const HANGING_SECONDS = 60

const PROGRAM = fileURLToPath(new URL('./mask-program.js', import.meta.url))
/** A release of Node that can be told so opens no debugger before the program holds signals off, either. */
const NO_DEBUGGER = '--disable-sigusr1'

/** The command that masks. What to mask comes to it through a pipe: a value is never on a command line. */
export const maskProgram = (): string[] => {
  const options = process.allowedNodeEnvironmentFlags.has(NO_DEBUGGER) ? [NO_DEBUGGER] : []
  return [process.execPath, ...options, PROGRAM]
}

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/** Copies for a user that runs as somebody else go through the same process, with nothing to mask: it can become that user. */
export const maskingOf = ({ masking, account, copies }: Job): Job['masking'] =>
  masking ?? (account && copies ? { values: {} } : undefined)

// D751: output of a step with secrets goes through its own process
export function maskOrder(
  { stdout, stderr, copies = {}, account }: Job,
  { values, marks }: NonNullable<Job['masking']>
): MaskOrder {
  const copiesOf = (copy?: string) => [copy, copies.both].filter((path) => path !== undefined)
  const { uid = 0, gid = 0, groups = [] } = account ?? {}
  return {
    values,
    ...(account ? { account: { uid, gid, groups } } : {}),
    streams: [
      { log: stdout, copies: copiesOf(copies.stdout), ...(marks ? { marks } : {}) },
      { log: stderr, copies: copiesOf(copies.stderr) }
    ]
  }
}
