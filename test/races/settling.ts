/** Waiting until a race is over. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Heat } from './heat.ts'

const TOO_LONG_MS = 30_000

/** Details of a run when it has ended. @throws Error when it does not */
// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes are looked into
export const ended = ({ send }: Heat, name: string, dagRunId: string): Promise<any> =>
  until(`the end of run ${dagRunId} of ${name}`, async () => {
    const { isDone, json } = await send('read', `/dag-runs/${name}/${dagRunId}`)
    if (!isDone) throw new Error(`run ${dagRunId} of ${name} was acknowledged and is lost`)
    return json.dagRun.finishedAt === '' ? undefined : json.dagRun
  })

/** Resolves when nothing runs and nothing waits. @throws Error when something does not end */
export const settled = ({ send }: Heat): Promise<true> =>
  until('the end of all runs', async () => {
    const { totalRunning, totalQueued } = (await send('read', '/queues')).json.summary
    return totalRunning + totalQueued === 0 || undefined
  })

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const begun = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() - begun > TOO_LONG_MS) throw new Error(`${what}: not within ${TOO_LONG_MS} ms`)
    await pause(15)
  }
}
