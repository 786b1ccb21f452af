/** All messages between the actors of a run, in parts; those that come later are added. Source: docs/inspect.md "Sequences". */
import { useEffect, useState } from 'preact/hooks'
import type { Message } from '../../answers.ts'
import { ask, pathOf, type Refusal, refusalOf } from '../../api.ts'

const AT_A_TIME = 2_000

interface Found {
  messages: readonly Message[]
  /** Later ones that are not here yet. */
  omitted: number
  refusal?: Refusal
}

/** @param latest `seq` of the latest event that is known */
export function useMessages(name: string, dagRunId: string, latest: number): Found {
  const run = `/dag-runs${pathOf(name, dagRunId)}`
  const [{ of, ...found }, setFound] = useState<Found & { of: string }>({ of: run, messages: [], omitted: 0 })
  const known = of === run ? found.messages : []
  const after = known.at(-1)?.seq ?? 0
  const isBehind = after < latest
  useEffect(() => {
    // Events that come meanwhile do not disturb: the rest is asked for when this part is here.
    if (!isBehind) return
    const ended = new AbortController()
    const path = `${run}/sequence?limit=${AT_A_TIME}&after=${after}`
    ask<{ messages: Message[]; omitted: number }>(path, { signal: ended.signal }).then(
      ({ messages, omitted }) => setFound({ of: run, messages: [...known, ...messages], omitted }),
      (error: unknown) =>
        ended.signal.aborted || setFound({ of: run, messages: known, omitted: 0, refusal: refusalOf(error) })
    )
    return () => ended.abort()
  }, [run, after, isBehind])
  return of === run ? found : { messages: [], omitted: 0 }
}
