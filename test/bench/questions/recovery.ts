/** An engine died with 10,000 open runs: how long after its start are they resolved, and when does the first queued run begin? */
import { openDefinitions, seedOpenRuns } from '../open-runs.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

/** Half of them have ended since, the other half is unknown; both are resolved without a process. */
const OPEN = 10_000
const QUEUED = 100
const LIMIT_MS = 120_000

export const recovery: Question = {
  name: 'recovery',
  ownOnly: true,
  cpuSince: 'spawn',
  definitions: openDefinitions,
  prepare(place, scale) {
    const half = Math.ceil(scaled(OPEN, scale) / 2)
    return seedOpenRuns(place, { ended: half, cut: half, queued: scaled(QUEUED, scale) })
  },
  async ask({ client, startedInMs }, scale) {
    const healthy = performance.now()
    const count = 2 * Math.ceil(scaled(OPEN, scale) / 2)
    const since = () => startedInMs + performance.now() - healthy
    const isAny = async (name: string, query: string) => (await client.runs(name, `?limit=1&${query}`)).length > 0
    // One question after the other: each takes time that the engine would have for the runs.
    const firstMs = await until('the first queued run', LIMIT_MS, async () =>
      (await isAny('queued', 'status=1&status=4')) ? since() : undefined
    )
    for (const name of ['ended', 'cut'])
      await until(`${count} open runs to be settled`, LIMIT_MS, async () =>
        (await isAny(name, 'status=1')) ? undefined : true
      )
    const settledMs = since()
    const ended = (await client.runs('ended', '?status=4')).length
    const cut = (await client.runs('cut', '?status=2')).length
    return [
      { figure: 'spawn to /health', unit: 'ms', better: 'less', value: startedInMs },
      { figure: 'spawn to the first queued run', unit: 'ms', better: 'less', value: firstMs },
      { figure: `spawn to ${count} runs settled`, unit: 'ms', better: 'less', value: settledMs },
      { figure: 'ended as recorded', unit: 'runs', better: 'more', value: ended },
      { figure: 'ended by onInterrupt', unit: 'runs', better: 'more', value: cut }
    ]
  }
}
