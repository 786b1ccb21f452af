/** What is enrolled, followed while a coordinator or an engine runs: a look at one file now and then. Source: distribution 6. */
import { statSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { type Enrolment, enrolmentIn } from './enrolment.ts'

const LOOK_MS = 500

/**
 * @param changed called with what is new
 * @param damaged called with what is wrong with the file, once for each change; what was read before counts
 * @throws TroupeError internal_error: it is damaged from the start
 */
export function watchEnrolment(
  path: string,
  clock: Pick<Clock, 'after'>,
  changed: (enrolment: Enrolment | undefined) => void,
  damaged: (error: unknown) => void
) {
  let seen = signOf(path)
  let latest = enrolmentIn(path)
  let cancel = () => {}
  /** Looks at this moment; costs microseconds. */
  function look(): void {
    const sign = signOf(path)
    if (sign !== seen) {
      seen = sign
      try {
        read()
      } catch (error) {
        damaged(error)
      }
    }
  }
  function lookAgain(): void {
    look()
    cancel = clock.after(LOOK_MS, lookAgain)
  }
  function read(): void {
    const found = enrolmentIn(path)
    if (found?.revision === latest?.revision) return
    // Somebody has removed the file: that lets nobody in who was kept out.
    if (!found) throw new Error('the list of enrolled workers is gone: what it said counts until the next start')
    latest = found
    changed(found)
  }
  cancel = clock.after(LOOK_MS, lookAgain)
  return {
    /** The latest that could be read; undefined: nobody was ever enrolled. */
    now: (): Enrolment | undefined => latest,
    look,
    close: (): void => cancel()
  }
}

/** A sign that changes when another file is there. */
function signOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ''
  }
}
