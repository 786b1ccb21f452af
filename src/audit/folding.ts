/**
 * Bounds refusals, which anybody can cause any number of: the first of each kind is entered at once, what repeats it within a minute is
 * counted, and the count is entered when the minute is over.
 */
import { type Clock, inAWhile } from '../clock.ts'
import type { NewEntry, Who } from './entry.ts'

const WINDOW_MS = 60_000
/** Kinds of refusals in a window, of one caller; of all who are not known, together; callers with refusals of their own. */
const MOST_KINDS = 50
const MOST_ADDRESSES = 20
const MOST_CALLERS = 100

interface Counted {
  entry: NewEntry
  repeated: number
  until: number
}

// D1458: refusals are counted when they repeat
export function folding(clock: Pick<Clock, 'now'>, enter: (entry: NewEntry) => void) {
  const callers = new Map<string, Map<string, Counted>>()
  let cancel: (() => void) | undefined

  function kindsOf(who: Who): { own: Map<string, Counted>; who: Who } {
    const known = callers.get(nameOf(who))
    if (known) return { own: known, who }
    if (callers.size >= MOST_CALLERS && who !== OTHERS) return kindsOf(OTHERS)
    const own = new Map<string, Counted>()
    callers.set(nameOf(who), own)
    return { own, who }
  }

  /** Enters what was counted so far. */
  function close(): void {
    cancel?.()
    cancel = undefined
    const counted = [...callers.values()].flatMap((own) => [...own.values()])
    callers.clear()
    for (const { entry, repeated, until } of counted)
      if (repeated > 0) enter({ ...entry, repeated, until: new Date(until).toISOString() })
  }

  return {
    take(refusal: NewEntry) {
      cancel ??= inAWhile(WINDOW_MS, close)
      const { own, who } = kindsOf(refusal.principal)
      const key = kindOf(refusal)
      const isOver = own.size >= (isKnown(who) ? MOST_KINDS : MOST_ADDRESSES)
      const known = own.get(key) ?? (isOver ? own.get(VARIOUS) : undefined)
      if (known) {
        known.repeated++
        known.until = clock.now()
        return
      }
      const entry = who === OTHERS || isOver ? variousOf(refusal, who) : refusal
      own.set(isOver ? VARIOUS : key, { entry, repeated: 0, until: clock.now() })
      enter(entry)
    },
    close
  }
}

const VARIOUS = 'various'
/** Known callers beyond those that are counted apart. */
const OTHERS: Who = { kind: 'various', name: '' }
const nameOf = ({ kind, name }: Who): string => `${kind} ${name}`
const isKnown = ({ kind }: Who): boolean => kind !== 'stranger' && kind !== 'anyone'

/** An unknown caller is an address, whatever is tried from there. */
const kindOf = ({ principal, address, operation, outcome, target }: NewEntry): string =>
  isKnown(principal) ? JSON.stringify([operation, outcome, target ?? {}]) : JSON.stringify([address ?? '', outcome])

/** Stands for refusals that have nothing in common but their caller. */
const variousOf = ({ door, outcome }: NewEntry, principal: Who): NewEntry => ({
  principal,
  door,
  operation: VARIOUS,
  outcome
})
