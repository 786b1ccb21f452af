/**
 * A bus without a network: by a seed, messages are lost, doubled and late, and overtake one another; a side can be cut off. Time is that
 * of the clock it is given.
 */
import { type Bus, type BusState, type Heard, Unanswered } from '../../../src/bus/bus.ts'
import type { Clock } from '../../../src/clock.ts'
import { type Random, seeded } from '../random.ts'

export interface Weather {
  /** Of each message, answers included; default 0. */
  lost?: number
  doubled?: number
  /** Each takes up to so long, ms; default 0: the next turn of the clock. */
  lateMs?: number
  /** Only so many of them; default 1: each. The others take up to `QUICK_MS`. */
  lateShare?: number
}

const QUICK_MS = 5

/** `silent`: nobody hears what it says; `deaf`: it hears nobody. It believes to be connected. */
export type Cut = boolean | 'silent' | 'deaf'

/** The process at an end. */
export interface Side {
  /** Its own timers; absent: those of the net. */
  after?: Clock['after']
  /** What arrives for it: a process that is stopped takes it later. Absent: at once. */
  receive?(deliver: () => void): void
}

export interface SimulatedNet {
  /** One end of it: an engine or a worker. */
  open(name: string, side?: Side): Bus
  /** Whether an end reaches the others. That of the next process with this name is as it was. */
  cut(name: string, isCut: Cut): void
  weather(now: Weather): void
}

interface End {
  name: string
  isSilent: boolean
  isDeaf: boolean
  receive(deliver: () => void): void
  isClosed: boolean
  hearing: Set<{ pattern: RegExp; listen(heard: Heard): void }>
  listeners: Set<(state: BusState) => void>
}

const patternOf = (pattern: string) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`)

export function simulatedNet(clock: Pick<Clock, 'after'>, seed = 1): SimulatedNet {
  const random: Random = seeded(seed)
  const ends = new Map<string, End>()
  const cuts = new Map<string, Cut>()
  let { lost = 0, doubled = 0, lateMs = 0, lateShare = 1 }: Weather = {}
  const delay = () => random.below((random.chance(lateShare) ? lateMs : Math.min(lateMs, QUICK_MS)) + 1)

  /** What happens to a message between two ends that may be cut off by then. */
  function carry(from: End, to: End, deliver: () => void): void {
    const copies = random.chance(doubled) ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (from.isSilent || from.isClosed || random.chance(lost)) continue
      clock.after(delay(), () => {
        if (!to.isDeaf && !to.isClosed) to.receive(() => to.isClosed || deliver())
      })
    }
  }
  function send(from: End, subject: string, text: string, answered?: (text: string, data?: Buffer) => void): void {
    for (const to of ends.values())
      for (const { pattern, listen } of [...to.hearing])
        if (pattern.test(subject))
          carry(from, to, () =>
            listen({ subject, text, answer: (said, data) => carry(to, from, () => answered?.(said, data)) })
          )
  }

  return {
    open(name, { after = clock.after, receive = (deliver: () => void) => deliver() } = {}) {
      const before = ends.get(name)
      if (before) before.isClosed = true
      const end: End = {
        name,
        ...cutOff(cuts.get(name)),
        receive,
        isClosed: false,
        hearing: new Set(),
        listeners: new Set()
      }
      const isAway = () => end.isSilent && end.isDeaf
      ends.set(name, end)
      return {
        get state() {
          return isAway() ? 'away' : 'connected'
        },
        get trouble() {
          return isAway() ? 'it is cut off' : ''
        },
        onState(listen) {
          end.listeners.add(listen)
          return () => void end.listeners.delete(listen)
        },
        ask: (subject, text, withinMs) =>
          new Promise((resolve, reject) => {
            const cancel = after(withinMs, () => reject(new Unanswered('timeout')))
            send(end, subject, text, (said) => {
              cancel()
              resolve(said)
            })
          }),
        askForData: (subject, text, withinMs) =>
          new Promise((resolve, reject) => {
            const cancel = clock.after(withinMs, () => reject(new Unanswered('timeout')))
            send(end, subject, text, (said, data) => {
              cancel()
              resolve(data ? { text: said, data } : { text: said })
            })
          }),
        tell: (subject, text) => send(end, subject, text),
        hear(pattern, listen) {
          const one = { pattern: patternOf(pattern), listen }
          end.hearing.add(one)
          return () => void end.hearing.delete(one)
        },
        async close() {
          end.isClosed = true
          end.hearing.clear()
          if (ends.get(name) === end) ends.delete(name)
        }
      }
    },
    cut(name, isCut) {
      cuts.set(name, isCut)
      const end = ends.get(name)
      if (!end) return
      const wasAway = end.isSilent && end.isDeaf
      Object.assign(end, cutOff(isCut))
      const isAway = end.isSilent && end.isDeaf
      if (isAway === wasAway) return
      for (const listen of [...end.listeners]) end.receive(() => listen(isAway ? 'away' : 'connected'))
    },
    weather(now) {
      lost = now.lost ?? 0
      doubled = now.doubled ?? 0
      lateMs = now.lateMs ?? 0
      lateShare = now.lateShare ?? 1
    }
  }
}

const cutOff = (cut: Cut = false) => ({
  isSilent: cut === true || cut === 'silent',
  isDeaf: cut === true || cut === 'deaf'
})
