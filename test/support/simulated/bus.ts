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
}

export interface SimulatedNet {
  /** One end of it: an engine or a worker. */
  open(name: string): Bus
  /** Whether an end reaches the others. */
  cut(name: string, isCut: boolean): void
  weather(now: Weather): void
}

interface End {
  name: string
  isCut: boolean
  isClosed: boolean
  hearing: Set<{ pattern: RegExp; listen(heard: Heard): void }>
  listeners: Set<(state: BusState) => void>
}

const patternOf = (pattern: string) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`)

export function simulatedNet(clock: Pick<Clock, 'after'>, seed = 1): SimulatedNet {
  const random: Random = seeded(seed)
  const ends = new Map<string, End>()
  let { lost = 0, doubled = 0, lateMs = 0 }: Weather = {}

  /** What happens to a message between two ends that may be cut off by then. */
  function carry(from: End, to: End, deliver: () => void): void {
    const copies = random.chance(doubled) ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (from.isCut || random.chance(lost)) continue
      clock.after(random.below(lateMs + 1), () => {
        if (!to.isCut && !to.isClosed) deliver()
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
    open(name) {
      const end: End = { name, isCut: false, isClosed: false, hearing: new Set(), listeners: new Set() }
      ends.set(name, end)
      return {
        get state() {
          return end.isCut ? 'away' : 'connected'
        },
        get trouble() {
          return end.isCut ? 'it is cut off' : ''
        },
        onState(listen) {
          end.listeners.add(listen)
          return () => void end.listeners.delete(listen)
        },
        ask: (subject, text, withinMs) =>
          new Promise((resolve, reject) => {
            const cancel = clock.after(withinMs, () => reject(new Unanswered('timeout')))
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
          ends.delete(name)
        }
      }
    },
    cut(name, isCut) {
      const end = ends.get(name)
      if (!end || end.isCut === isCut) return
      end.isCut = isCut
      for (const listen of [...end.listeners]) listen(isCut ? 'away' : 'connected')
    },
    weather(now) {
      lost = now.lost ?? 0
      doubled = now.doubled ?? 0
      lateMs = now.lateMs ?? 0
    }
  }
}
