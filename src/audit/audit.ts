/** What the rooms above see of the audit log of a home. Types alone: who does not keep one loads nothing. */
import type { Mask } from './bounded.ts'
import type { Head, NewEntry } from './entry.ts'

export interface Audit {
  /** Folder of the log. */
  readonly dir: string
  /** Hides credentials in texts. */
  readonly mask: Mask
  /** Call it before a change is made. @throws TroupeError service_unavailable: it could not be entered */
  refuseWhileStuck(): void
  /**
   * Enters something that was done. Resolves when the entry survives what the durability of the home says.
   * @throws TroupeError service_unavailable: it cannot be entered now; that is tried again until it is
   */
  note(entry: NewEntry): Promise<void>
  /** Enters a refusal; what is repeated is counted. Never throws. */
  refused(entry: NewEntry): void
  /** Does something that its caller enters, so that the engine does not. */
  answeredFor<T>(act: () => Promise<T>): Promise<T>
  /** Whether what is done at this moment is part of that. */
  isAnsweredFor(): boolean
  /** The latest entry. Undefined: there is none. */
  head(): Head | undefined
  /** Enters what was counted, and closes the files. */
  close(): Promise<void>
}
