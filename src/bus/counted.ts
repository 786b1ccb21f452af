/** A bus that counts what goes through it, for the metrics. */
import type { Bus, Heard } from './bus.ts'

export type Direction = 'in' | 'out'

/** Messages since the bus was opened. */
export interface Traffic {
  /** `answer`, what the message calls itself, or `other`. */
  kind: string
  direction: Direction
  count: number
}

export interface CountedBus extends Bus {
  traffic(): Traffic[]
}

/** Kinds of messages. Others that somebody invents add no series. Source: distribution 3. */
export const KINDS = ['hello', 'beat', 'engine', 'offer', 'event', 'job', 'runs', 'read', 'stop', 'forget', 'answer']
const KNOWN: ReadonlySet<string> = new Set(KINDS)

export function countedBus(bus: Bus): CountedBus {
  const counts = new Map<string, Traffic>()
  function count(said: string, direction: Direction): void {
    const kind = KNOWN.has(said) ? said : 'other'
    const known = counts.get(`${direction} ${kind}`)
    if (known) known.count++
    else counts.set(`${direction} ${kind}`, { kind, direction, count: 1 })
  }
  return {
    get state() {
      return bus.state
    },
    get trouble() {
      return bus.trouble
    },
    onState: (listen) => bus.onState(listen),
    async ask(subject, text, withinMs) {
      count(kindOf(text), 'out')
      const answer = await bus.ask(subject, text, withinMs)
      count('answer', 'in')
      return answer
    },
    async askForData(subject, text, withinMs) {
      count(kindOf(text), 'out')
      const answer = await bus.askForData(subject, text, withinMs)
      count('answer', 'in')
      return answer
    },
    tell(subject, text) {
      count(kindOf(text), 'out')
      bus.tell(subject, text)
    },
    hear: (pattern, listen) =>
      bus.hear(pattern, (heard) => {
        count(kindOf(heard.text), 'in')
        listen(answering(heard, () => count('answer', 'out')))
      }),
    close: () => bus.close(),
    traffic: () => [...counts.values()].map((one) => ({ ...one }))
  }
}

const answering = (heard: Heard, answered: () => void): Heard => ({
  ...heard,
  answer(text, data) {
    answered()
    heard.answer(text, data)
  }
})

/** Our own messages begin with it; others are not worth parsing. */
const kindOf = (text: string): string => /^\{"v":\d{1,3},"kind":"(\w{1,20})"/.exec(text.slice(0, 60))?.[1] ?? ''
