/**
 * What a process that serves for months asks of V8, whose own choices are made for programs that are over soon.
 *
 * A server calls the same few hundred functions from its first run on, so that they all become due to be optimized in its first second,
 * and the threads that do so take the processors from the very steps that are started then: it comes later. Garbage may grow to several
 * times what is in use before all of the heap is collected: an engine with 100,000 queued runs held more garbage than runs. In a small
 * heap that is a few MB, and to collect it again and again costs a twentieth of all that is done. And what lives for one turn was put
 * among the old, by a guess from the place that makes it. Source: performance 6, 7.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { everyNowAndThen } from '../../clock.ts'

/** V8 of Node 20. Later ones have a tier in between and other rules: nobody has measured there what these do. */
export const isKnownV8 = process.versions.v8.startsWith('11.3.')

/** Bytecode that a function runs before this V8 thinks about it, and a budget later than which gains nothing more. */
const BUDGET = 66 * 1024
const LATE_BUDGET = 6 * BUDGET

/** Each is looked at when it matters, so it may be set while V8 runs. */
const FLAGS = [
  // D713: a server optimizes code later
  { serving: `--interrupt-budget=${LATE_BUDGET}`, usual: `--interrupt-budget=${BUDGET}` },
  // D38: a server collects its heap early
  { serving: '--no-allocation-site-pretenuring', usual: '--allocation-site-pretenuring' }
]

/** One that has been so large may grow by a fifth only until it is collected. Bytes. */
const LARGE_HEAP = 64 * 1024 * 1024
const growth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`) // 0: as V8 would have it
const LOOK_MS = 1_000

/** For a process that is about to serve: what it needs has been loaded. @param lookMs how often the size of its heap is looked at */
export function setServingFlags(lookMs = LOOK_MS): void {
  if (!isKnownV8) return
  for (const { serving } of FLAGS) setFlagsFromString(serving)
  everyNowAndThen(lookMs, () => {
    if (getHeapStatistics().used_heap_size >= LARGE_HEAP) growth(20) // and never back: right after a collection a large one is small
  })
  // V8 refuses compiled code that was kept under other flags than those at hand: whoever keeps it does so on the way out.
  process.prependOnceListener('exit', () => {
    growth(0)
    for (const { usual } of FLAGS) setFlagsFromString(usual)
  })
}
