/** Requests of the command line, the step in which a command of the owner runs, as its environment says, and what it must not do there. Source: docs/authentication.md "Roles". */
import type { IncomingHttpHeaders } from 'node:http'
import type { CallingStep } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { userName } from '../../platform/user-name.ts'

// D1701: one user is behind the socket, whatever the header says
/** Header of requests of the command line to the owner's socket: the step, or nothing. */
export const COMMAND_HEADER = 'troupe-command'

// D1764: who a connected host says that it acts for is believed: it could open the home itself
/** Header of requests of a host application that is connected to the owner's socket: for whom it acts, or nothing. */
export const HOST_HEADER = 'troupe-host'

/** What the two sides of the socket may expect of each other; they may be of different releases. */
export const PROTOCOL = 2

/** What a request behind the owner's socket says of its sender; elsewhere the headers say nothing. */
export interface CommandState {
  /** A command of the user who owns the home has sent it. */
  command?: { by: string | undefined; step?: CallingStep }
  /** A host application of this user has sent it. */
  host?: { by?: string }
}

export function commandOf({ [COMMAND_HEADER]: text, [HOST_HEADER]: host }: IncomingHttpHeaders): CommandState {
  if (typeof host === 'string') return { host: host === '' ? {} : { by: decodeURIComponent(host) } }
  if (text === undefined) return {}
  const step = stepOf(text)
  return { command: { by: userName(), ...(step ? { step } : {}) } }
}

/** Undefined: the command runs in no step. */
export function stepIn({
  DAG_NAME: name = '',
  DAG_RUN_ID: dagRunId = '',
  DAG_RUN_STEP_NAME: stepName = ''
}: Readonly<Partial<Record<string, string>>>): CallingStep | undefined {
  return name === '' || dagRunId === '' || stepName === '' ? undefined : { name, dagRunId, stepName }
}

/** What an entry of the audit log says of a command: by whom, and in which step. */
export const ownersEntry = (step: CallingStep | undefined) => ({
  principal: { kind: 'owner', name: userName() ?? '' },
  door: 'cli' as const,
  ...(step ? { step } : {})
})

/** As the value of a header, which holds ASCII only. */
export const stepText = (step: CallingStep | undefined): string =>
  step ? encodeURIComponent(JSON.stringify(step)) : ''

/** @param text that `stepText` has made */
export const stepOf = (text: string | string[] | undefined): CallingStep | undefined =>
  typeof text === 'string' && text !== '' ? JSON.parse(decodeURIComponent(text)) : undefined

// D1581: an editor's step could make itself an admin key
/** @param command as its user types it @throws TroupeError forbidden */
export function refuseInStep(command: string): never {
  throw new TroupeError(
    'forbidden',
    `${command}: this command runs in a step, and steps may not make or revoke keys: run it outside of a step, or set steps.mayGiveKeys: true in the configuration`
  )
}
