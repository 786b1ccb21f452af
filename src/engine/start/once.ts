/** Starts with an idempotency key: the same one again makes no second run. Source: docs/http-api.md "The same request twice". */
import { createHash } from 'node:crypto'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Changes } from '../../store/changes.ts'
import type { AskKey, Store } from '../../store/open.ts'
import type { StoredAsk, StoredPlan } from '../../store/stored.ts'
import { askOf, putAsk } from '../../store/tables/asks.ts'
import type { Started, StartRequest } from '../engine.ts'

const KEY = /^[ -~]{1,255}$/
const MOST_SHOWN = 300

/** @throws TroupeError bad_request */
export function checkKey({ idempotencyKey: key }: StartRequest): void {
  if (key === undefined || KEY.test(key)) return
  throw new TroupeError(
    'bad_request',
    `idempotencyKey: wanted 1 to 255 printable ASCII characters, found ${JSON.stringify(key.slice(0, MOST_SHOWN))}`
  )
}

/** What a second request with the key must have, too. @param workflow with `old`: that of an earlier run, whose params are taken */
export const askedFor = (
  { params = '' }: StartRequest,
  { plan: { name }, spec, old }: StoredPlan & { old?: RunRecord }
): { name: string; spec: string; params: string } => ({
  name,
  spec,
  params: old ? JSON.stringify(old.params) : params
})

/** @param note adds to the changes with which the run is stored */
type Begin = (note?: (changes: Changes, dagRunId: string) => void) => Promise<Started>
type First = Pick<StoredAsk, 'dagRunId' | 'print'>

/** @returns begins a run, unless the key of the request has begun one. @throws TroupeError idempotency_mismatch; as `begin` does */
export function startsOnce(store: Store, clock: Clock) {
  /** Starts whose answer is not there yet; undefined: it was refused. */
  const beginning = new Map<string, Promise<First | undefined>>()

  return async (
    { idempotencyKey = '', dryRun = false }: StartRequest,
    { name, spec, params }: ReturnType<typeof askedFor>,
    begin: Begin
  ): Promise<Started> => {
    const key: AskKey = [name, idempotencyKey]
    const id = key.join('/')
    const print = createHash('sha256')
      .update(JSON.stringify([spec, params]))
      .digest('base64url')
    const replayed = (first: First): Started => {
      if (first.print !== print)
        throw new TroupeError(
          'idempotency_mismatch',
          `idempotencyKey: ${JSON.stringify(idempotencyKey)} has started run ${first.dagRunId} of ${name}, with another text or other params`,
          { details: { dagRunId: first.dagRunId } }
        )
      return { name, dagRunId: first.dagRunId, replayed: true }
    }
    // A refused start keeps no key: the next one of those that wait is the first.
    for (let before = beginning.get(id); before; before = beginning.get(id)) {
      const first = await before
      if (first) return replayed(first)
    }
    const known = askOf(store, key, clock.now())
    if (known) return replayed(known)
    if (dryRun) return begin()
    const begun = begin((changes, dagRunId) => putAsk(changes, key, { dagRunId, print, at: clock.now() }))
    const first = begun.then(
      ({ dagRunId }) => ({ dagRunId, print }),
      () => undefined
    )
    beginning.set(id, first)
    void first.finally(() => beginning.delete(id))
    return begun
  }
}
