/** The owner of a home is not there, or no longer. */
import { TroupeError } from '../../errors.ts'

/** Nobody listens, or the connection broke. */
export class Gone extends TroupeError {
  /** The request never arrived: it may be sent to the next owner. */
  readonly unsent: boolean

  constructor(cause?: unknown) {
    super('service_unavailable', 'the engine of this home has ended; its runs continue with the next one', { cause })
    const { syscall }: NodeJS.ErrnoException = Object(cause)
    this.unsent = syscall === 'connect'
  }
}
