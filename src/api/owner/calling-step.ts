/** The step in which a command of the owner runs, as its environment says, and what it must not do there. Source: docs/authentication.md "Roles". */
import type { CallingStep } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'

/** Header of requests to the owner's socket. */
export const STEP_HEADER = 'troupe-step'

/** Undefined: the command runs in no step. */
export function stepIn({
  DAG_NAME: name = '',
  DAG_RUN_ID: dagRunId = '',
  DAG_RUN_STEP_NAME: stepName = ''
}: Readonly<Partial<Record<string, string>>>): CallingStep | undefined {
  return name === '' || dagRunId === '' || stepName === '' ? undefined : { name, dagRunId, stepName }
}

/** As the value of a header, which holds ASCII only. */
export const stepText = (step: CallingStep): string => encodeURIComponent(JSON.stringify(step))

/** @param text that `stepText` has made */
export const stepOf = (text: string | string[] | undefined): CallingStep | undefined =>
  typeof text === 'string' ? JSON.parse(decodeURIComponent(text)) : undefined

// D1581: an editor's step could make itself an admin key
/** @param command as its user types it @throws TroupeError forbidden */
export function refuseInStep(command: string): never {
  throw new TroupeError(
    'forbidden',
    `${command}: this command runs in a step, and steps may not make or revoke keys: run it outside of a step, or set steps.mayGiveKeys: true in the configuration`
  )
}
