/**
 * Memory that a program gives back while it rests. V8 leaves the garbage of a busy time, and the space for as much again, until what is
 * allocated next makes it collect: in a program with nothing to do, never.
 */
import { Session } from 'node:inspector'
import { getHeapStatistics } from 'node:v8'
import { everyNowAndThen, systemClock } from '../../clock.ts'

const LOOK_MS = 10_000
/** Share of one processor, between two looks: heartbeats take a hundredth. */
const RESTING_SHARE = 0.05
/** Less is not worth a collection. Bytes. */
const WORTH = 8 * 1024 * 1024
/** In a larger heap it would take too long for a client who comes just then: 50 ms for 20 MB, half a second for 100. Bytes. */
const LARGE = 64 * 1024 * 1024

// D1240: server and worker give their garbage back while they rest
/** From now on: when the heap has grown, and the process has rested since the last look. @param lookMs between two looks */
export function giveBackAtRest(lookMs = LOOK_MS, collect = collectAll): void {
  let spent = process.cpuUsage()
  let kept = 0
  everyNowAndThen(lookMs, () => {
    const { user, system } = process.cpuUsage(spent)
    spent = process.cpuUsage()
    const isResting = user + system < RESTING_SHARE * lookMs * 1_000
    const { total_heap_size: size, used_heap_size: used } = getHeapStatistics()
    if (!isResting || size < kept + WORTH || used > LARGE) return
    collect(() => {
      kept = getHeapStatistics().total_heap_size
    })
  })
}

/** All that is garbage. Nothing listens on a port for it. @param done called then, in a later turn */
function collectAll(done: () => void): void {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () =>
    // Not at once: V8 holds a lock meanwhile that it needs to let the session go.
    systemClock.soon(() => {
      session.disconnect()
      done()
    })
  )
}
