/** An engine opened for a command, in this process or in the one that owns the home. */
import type { Door } from '../../api/owner/door.ts'

export interface OpenDoor extends Door {
  /** The engine lives in this process. */
  readonly here: boolean
  /** Resolves when no other command needs the engine in this process; new ones are turned away from then on. */
  unneeded(): Promise<void>
  /** Ends the use of the engine. In one that lives here, running steps live on, and the next engine goes on with their runs. */
  close(): Promise<void>
}
