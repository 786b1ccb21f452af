/** A run in the foreground on a terminal: its tree, with the last lines of running steps, redrawn ten times a second. Source: api-semantics 11 (start). */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import { latestLines } from '../output/latest-lines.ts'
import { openOutput } from '../output/open-output.ts'
import { runOf } from '../owner/known-runs.ts'
import { frame } from '../view/frame.ts'
import { liveRegion } from '../view/live-region.ts'
import { nodesOf } from '../view/nodes.ts'
import type { Report, Scene } from './report-scene.ts'
import { writeSummary } from './show-summary.ts'

const FRAME_MS = 100
/** Reading a large run is expensive: at most this share of the time is spent on it. */
const SHARE_OF_LOOKING = 0.1

/** Events cover the run itself; its sub DAG runs are polled this often. */
const CALLS_MS = 500

/** Bytes: of a log that grows by more than this between two reads, only the end is read: no more fits on the screen. */
const SEEN_BYTES = 16 * 1024

const callsSomething = (run: RunDetails): boolean =>
  nodesOf(run).some(({ step, statusLabel }) => statusLabel === 'running' && step.call !== undefined)

export function live(scene: Scene): Report {
  const { context, paint, client } = scene
  const { out, clock, onExit } = context
  const said = latestLines()
  // Failed steps are quoted from their logs at the end.
  const output = openOutput({ ...scene, output: scene.output === 'all' ? 'all' : 'none' }, said, SEEN_BYTES)
  const region = liveRegion(context.verbatim)
  const forget = onExit(region.end)
  let shown: RunDetails | undefined
  let notice = ''
  let isStale = true
  let lookedAt = 0
  let looksAgainAt = 0
  let cancel = () => {}

  async function lookAgain(key: RunKey): Promise<void> {
    isStale = false
    looksAgainAt = Number.POSITIVE_INFINITY
    const begun = clock.elapsed()
    const isFirst = !shown // which loads the API
    shown = (await runOf(client.api, key).catch(() => undefined)) ?? shown // a lost engine is reported to the one that follows the run
    lookedAt = clock.elapsed()
    looksAgainAt = lookedAt + (isFirst ? 0 : (lookedAt - begun) / SHARE_OF_LOOKING)
  }
  function draw(): void {
    if (!shown) return
    const columns = out.columns || 80 // some pseudo-terminals say 0
    const rows = out.rows || 24
    region.draw(frame(shown, { now: clock.now(), columns, lines: rows, paint, lastLines: said.of, notice }))
  }
  function tick(key: RunKey): void {
    if (shown && callsSomething(shown) && clock.elapsed() >= lookedAt + CALLS_MS) isStale = true
    if (isStale && clock.elapsed() >= looksAgainAt) void lookAgain(key)
    draw()
    cancel = clock.after(FRAME_MS, () => tick(key))
  }
  function leave(): void {
    cancel()
    region.end()
    forget()
    output.stop()
  }
  return {
    begin(key) {
      output.begin(key)
      tick(key)
    },
    event(event) {
      output.event(event)
      isStale = true
    },
    notice(text) {
      notice = text
      draw()
    },
    async end(last) {
      await output.end(last)
      leave()
      writeSummary(context, last, { to: out, client, paint, quotes: scene.output, said: said.of })
    },
    leave
  }
}
