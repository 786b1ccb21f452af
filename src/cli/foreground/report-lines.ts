/** A run in the foreground as lines: what its steps print on stdout, how it goes on stderr. Source: api-semantics 11 (start), docs/cli.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { openOutput } from '../output/open-output.ts'
import { printed } from '../output/printed.ts'
import { clockFace, oneLine } from '../view/text.ts'
import { shownOf, transitionLine } from '../view/transition-line.ts'
import type { Report, Scene } from './report-scene.ts'
import { writeSummary } from './show-summary.ts'

// D430
/** One line a transition, with its time; the lines of a step that has ended stand before that line. */
export function lines(scene: Scene): Report {
  const { surroundings, tz, paint, door } = scene
  const { out, err } = surroundings
  const output = openOutput(scene, printed(out))
  const time = clockFace(tz)
  const begun = new Map<string, { shown: string; at: number }>()
  // A failed step's line waits for the reason, and the lines after it wait for that line.
  let written = Promise.resolve()
  const look = ({ name, dagRunId }: RunKey) => door.run(name, dagRunId).catch(() => undefined) // whoever follows the run is told of a lost engine

  async function write(event: EngineEvent, shown: NonNullable<ReturnType<typeof shownOf>>, begunAt?: number) {
    await output.told()
    const view = (shown === 'failed' || shown === 'retry') && event.run ? await look(event.run) : undefined
    err.write(`${transitionLine(event, { shown, time, paint, begunAt, view })}\n`)
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
      begun.set(actor, { shown, at: known?.at ?? event.at })
      written = written.then(() => write(event, shown, known?.at))
    },
    notice: (text) => void err.write(`${text}\n`),
    async end(view) {
      await output.end(view)
      await written
      writeSummary(surroundings, view, { to: err, paint, quotes: scene.output === 'none' ? 'none' : 'failed' })
    },
    leave: () => output.stop()
  }
}
