/** A run in the foreground as lines: the output of its steps on stdout, its transitions on stderr. Source: api-semantics 11 (start), docs/cli.md. */
import type { JournalEvent } from '../../client/index.ts'
import { openOutput } from '../output/open-output.ts'
import { printed } from '../output/printed.ts'
import { runOf } from '../owner/known-runs.ts'
import { clockFace, oneLine } from '../view/text.ts'
import { shownOf, transitionLine } from '../view/transition-line.ts'
import type { Report, Scene } from './report-scene.ts'
import { writeSummary } from './show-summary.ts'

// D430: only output of steps goes to stdout
/** One line per transition, with its time; the output of a step comes before the line of its end. */
export function lines(scene: Scene): Report {
  const { context, tz, paint, client } = scene
  const { out, err } = context
  const output = openOutput(scene, printed(out))
  const time = clockFace(tz)
  const begun = new Map<string, { shown: string; at: number }>()
  // The line of a failed step waits for the reason, and later lines wait for that line.
  let written = Promise.resolve()
  const look = (event: JournalEvent) => runOf(client.api, event).catch(() => undefined) // a lost engine is reported to the one that follows the run

  async function write(event: JournalEvent, shown: NonNullable<ReturnType<typeof shownOf>>, begunAt?: number) {
    await output.flushed()
    const run = shown === 'failed' || shown === 'retry' ? await look(event) : undefined
    err.write(`${transitionLine(event, { shown, time, paint, begunAt, run })}\n`)
  }
  return {
    begin(key) {
      output.begin(key)
      err.write(`run ${key.dagRunId} of ${oneLine(key.name)}\n`)
    },
    event(event) {
      output.event(event)
      const actor = event.step ?? ''
      const shown = shownOf(event)
      const known = begun.get(actor)
      if (!shown || known?.shown === shown) return
      begun.set(actor, { shown, at: known?.at ?? event.atMs })
      written = written.then(() => write(event, shown, known?.at))
    },
    notice: (text) => void err.write(`${text}\n`),
    async end(run) {
      await output.end(run)
      await written
      writeSummary(context, run, { to: err, client, paint, quotes: scene.output === 'none' ? 'none' : 'failed' })
    },
    leave: () => output.stop()
  }
}
