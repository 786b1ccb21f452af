/** How a test lets its engine go on: until nothing is left to be done, to an instant, through a crash. */
import type { RunKey } from '../../machines/vocabulary.ts'
import { nextTurn, systemClock } from '../clock.ts'
import type { Engine, RunView } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'
import { durationMs } from '../host/duration.ts'
import { isActive } from '../store/commit.ts'
import type { Lives } from './lives.ts'
import type { Mocks } from './mocks.ts'
import type { SimulatedClock } from './simulated-clock.ts'

export interface Playing {
  /** Resolves when nothing is left to be done without time; then an engine lives. */
  quiet(): Promise<void>
  idle(): Promise<void>
  advance(by: string | number | Date): Promise<void>
  untilEnded(run: RunKey, atMost?: string | number): Promise<RunView>
  crash(at?: { event: number }): Promise<void>
  result(key: RunKey): Promise<RunView>
  /** While the engine answers, what it needs without time is done. */
  answered<T>(asked: Promise<T>): Promise<T>
  subscribe: Engine['subscribe']
}

/** Alarms that ring in one `advance`: a loop without end is told. */
const MOST_ALARMS = 10_000_000
/** For which `untilEnded` goes on. */
const LONGEST_RUN = '400d'

export function openPlaying(clock: SimulatedClock, lives: Lives, mocks: Mocks): Playing {
  const listeners = new Set<{ listen: Parameters<Engine['subscribe']>[0]; run: RunKey | undefined; leave(): void }>()
  const refuse = (message: string) => new TroupeError('bad_request', message)

  /** Pauses follow one another: each engine has one successor. */
  let quieting: Promise<void> = Promise.resolve()
  function quiet(): Promise<void> {
    const mine = quieting.then(untilQuiet)
    quieting = mine.catch(() => {})
    return mine
  }
  async function untilQuiet(): Promise<void> {
    for (;;) {
      await lives.quiet()
      if (lives.isAlive) return
      await lives.live()
      for (const one of listeners) one.leave = lives.engine.subscribe(one.listen, one.run)
    }
  }
  /** @throws TroupeError bad_request: a step is executed that is not mocked */
  function refuseUnmocked(): void {
    const refusal = mocks.refusal()
    if (refusal !== undefined) throw refuse(refusal)
    const [fault] = lives.faults.splice(0)
    if (fault !== undefined) throw fault
  }
  async function idle(): Promise<void> {
    await quiet()
    refuseUnmocked()
  }
  function instantAfter(by: string | number | Date): number {
    const now = clock.now()
    if (!(by instanceof Date)) return now + durationMs(by, 'advance')
    if (by.getTime() >= now) return by.getTime()
    throw refuse(
      `advance: wanted an instant from ${iso(now)} on, found ${Number.isNaN(by.getTime()) ? by : iso(by.getTime())}`
    )
  }

  async function result(key: RunKey): Promise<RunView> {
    await idle()
    const { engine } = lives
    const record = engine.record(key)
    if (!record || !isActive(record)) return engine.result(key)
    const reasons = engine.facts.explain(record).reasons.map(({ text }) => text)
    throw refuse(
      `run ${record.dagRunId} of ${record.name} is ${record.status}, and the clock stands still: advance it. ${reasons.join(' ')}`.trim()
    )
  }

  return {
    quiet,
    idle,
    async advance(by) {
      const until = instantAfter(by)
      for (let alarms = 0; ; alarms++) {
        await idle()
        const next = clock.next()
        if (next === undefined || next > until) break
        if (alarms >= MOST_ALARMS) throw refuse(`advance: ${MOST_ALARMS} alarms have rung, and it goes on`)
        clock.ringNext()
      }
      clock.goTo(until)
    },
    async untilEnded(key, atMost = LONGEST_RUN) {
      const until = clock.now() + durationMs(atMost, 'untilEnded')
      for (;;) {
        await idle()
        const record = lives.engine.record(key)
        if (!record || !isActive(record)) return lives.engine.result(key)
        const next = clock.next()
        if (next === undefined || next > until) return result(key)
        clock.ringNext()
      }
    },
    async crash(at) {
      if (at === undefined) {
        await quiet()
        lives.die()
      } else if (Number.isSafeInteger(at.event) && at.event > lives.events) lives.dieAt(at.event)
      else
        throw refuse(`crash: wanted the number of an event that is to come, above ${lives.events}, found ${at.event}`)
      await quiet()
    },
    result,
    async answered(asked) {
      const { engine } = lives
      let isOver = false
      const over = () => {
        isOver = true
      }
      void asked.then(over, over)
      for (;;) {
        // The consequences of the answer are done, too: so the engine gets equally far each time.
        await quiet()
        if (isOver) return asked
        refuseUnmocked()
        if (engine !== lives.engine)
          throw new TroupeError('service_unavailable', 'the engine has crashed before it answered: ask the next one')
        await nextTurn(systemClock)
      }
    },
    subscribe(listen, run) {
      const one = { listen, run, leave: lives.engine.subscribe(listen, run) }
      listeners.add(one)
      return () => {
        listeners.delete(one)
        one.leave()
      }
    }
  }
}

const iso = (at: number) => new Date(at).toISOString()
