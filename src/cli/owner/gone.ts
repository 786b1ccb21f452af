/** The owner of a home is not there, or is no more. */
import { TroupeError } from '../../errors.ts'

/** Nobody listens, or the connection broke. */
export class Gone extends TroupeError {
  /** It never heard what it was asked: the next one may be asked the same. */
  readonly unheard: boolean

  constructor(cause?: unknown) {
    super('service_unavailable', 'the engine of this home has ended; its runs continue with the next one', { cause })
    this.unheard = (cause as NodeJS.ErrnoException | undefined)?.syscall === 'connect'
  }
}
