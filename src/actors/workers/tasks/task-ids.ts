/** Names of tasks and runs on the bus. Both ends know them by hashes of one length, however long the names of steps are. */
import { createHash } from 'node:crypto'
import type { NodePlace, RunKey } from '../../../../machines/vocabulary.ts'
import type { TaskKind } from '../../../bus/jobs.ts'

const hashed = (...parts: (string | number)[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** One attempt of a run: an earlier one may have left something on the same worker. */
export const runOnBus = ({ name, dagRunId }: RunKey, runAttempt: number): string => hashed(name, dagRunId, runAttempt)

/** @param which of its kind: number of an execution, or of an `open` */
export const taskOnBus = (run: string, what: TaskKind, which: number, place?: NodePlace): string =>
  hashed(run, what, which, place ?? -1)
