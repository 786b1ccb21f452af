/** Runs that waited in queues of Dagu: put into the queues of this home, as `troupe enqueue` does. */
import type { RunKey } from '../../../../machines/vocabulary.ts'
import type { Settings } from '../../../config.ts'
import { messageOf } from '../../../errors.ts'
import type { WaitingRun } from '../../../import/dagu/history/history.ts'
import { paramsOf } from '../../../import/dagu/history/record.ts'
import type { Report } from '../../../import/report.ts'
import { shellWord } from '../../../platform/shell/shell-word.ts'
import type { CliContext } from '../../context.ts'
import { mustLocate } from '../../input/locate.ts'
import { askEngine } from '../../owner/open-client.ts'

export type Queued = RunKey

export async function queuedAgain(
  waiting: readonly WaitingRun[],
  settings: Settings,
  context: CliContext,
  report: Report
): Promise<Queued[]> {
  const queued: Queued[] = []
  const say = (text: string) => void context.err.write(`${text}\n`)
  for (const { name, dagRunId, params, isRetry } of waiting) {
    const what = `run ${dagRunId} of ${name}`
    if (isRetry) {
      report.add({
        part: 'queues',
        kind: 'left',
        what,
        text: 'waits to be retried',
        advice: `troupe retry ${shellWord(name)} --run-id ${shellWord(dagRunId)}`
      })
      continue
    }
    try {
      const words = JSON.stringify(Object.fromEntries(paramsOf(params).map((param) => [param.name, param.value])))
      const [client, key] = await askEngine(context, settings, say, async (client) =>
        client.acts.enqueueDag({
          body: {
            file: mustLocate(name, { cwd: context.cwd, dagsDir: client.dagsDir }),
            dagRunId,
            ...(params.length > 0 ? { params: words } : {})
          }
        })
      )
      try {
        await client.unneeded()
      } finally {
        await client.close()
      }
      queued.push(key)
      report.add({
        part: 'queues',
        kind: 'taken',
        what,
        text: 'waits in its queue here',
        advice: 'take it out of the queue of Dagu: dagu dequeue'
      })
    } catch (error) {
      report.add({
        part: 'queues',
        kind: 'left',
        what,
        text: messageOf(error),
        advice: `enqueue it by hand: troupe enqueue ${shellWord(name)}`
      })
    }
  }
  return queued
}
