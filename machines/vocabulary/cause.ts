/** What or who started a run, stopped it, or answered a step. Source: docs/http-api.md. No logic. */
import type { STOPPER_TYPES, TRIGGER_REPEATS, TRIGGER_TYPES } from './lists.ts'
import type { RunKey } from './place.ts'
import type { SecretMark } from './values.ts'

/** The cause of a run, or of the latest attempt of it. A sub DAG run has a `caller` instead. */
export interface Trigger {
  type: (typeof TRIGGER_TYPES)[number]
  /** Absent: a new run. */
  again?: (typeof TRIGGER_REPEATS)[number]
  /** Name of the user or token; absent: not known. */
  by?: string
  /** The scheduled minute, epoch ms. */
  slot?: number
  /** The run that it repeats; absent: none, or itself. */
  of?: RunKey
  requestId?: string
}

/** The cause of a run's stop; of several the first. A sub DAG run has none: its caller has. */
export interface Stopper {
  type: (typeof STOPPER_TYPES)[number]
  /** Name of the user or token; absent: not known. */
  by?: string
  requestId?: string
}

/** A signal, or the answer to an approval, that a step has got. */
export interface Given {
  at: number
  /** Name of the one who gave the signal, if that is known. */
  by?: string
  /** Chosen by the caller: the same one again is answered like the first. */
  id?: string
  /** An approval was refused, with this note, which may be empty. */
  refusal?: string
}

/** A signal as its run keeps it: with the payload until its step takes it. */
export interface KeptSignal extends Given {
  /** JSON, secrets masked. */
  output?: string
  outputMarks?: SecretMark[]
}
