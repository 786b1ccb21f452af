/** How a run in the foreground is shown: live on a terminal, as lines, as JSON, or not at all. Source: api-semantics 11 (start). */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { EngineEvent, RunView } from '../engine.ts'
import { writeSummary } from './show-summary.ts'
import type { Surroundings } from './surroundings.ts'
import { lastLines } from './view/file-end.ts'
import { frame } from './view/frame.ts'
import { liveRegion } from './view/live-region.ts'
import type { Paint } from './view/paint.ts'
import { clockFace, oneLine } from './view/text.ts'
import { shownOf, transitionLine } from './view/transition-line.ts'

export interface Report {
  begin(key: RunKey): void
  /** Every event of the run, in order. */
  event(event: EngineEvent): void
  /** Something the user should know now. */
  notice(text: string): void
  /** The run has ended. Resolves when all is written. */
  end(view: RunView): Promise<void>
  /** The run is left alone before its end. */
  leave(): void
}

/** What a report looks at. */
export interface Scene {
  surroundings: Surroundings
  /** IANA zone of the times it prints. */
  tz: string
  paint: Paint
  /** The run as it is now. */
  look: (key: RunKey) => Promise<RunView | undefined>
}

export type Style = 'quiet' | 'json' | 'live' | 'lines'

export const reportOf = (style: Style, scene: Scene): Report => reports[style](scene)

/** @param environment of the process: `TERM=dumb` has no cursor to move */
export function styleOf(
  on: ReadonlySet<string>,
  { out }: Surroundings,
  environment: Readonly<Record<string, string>>
): Style {
  if (on.has('quiet')) return 'quiet'
  if (on.has('json')) return 'json'
  return out.isTTY && environment.TERM !== 'dumb' ? 'live' : 'lines'
}

const nothing = () => {}
/** A look that fails is no news: whoever follows the run is told of a lost engine. */
const unseen = () => undefined

const quiet = (): Report => ({ begin: nothing, event: nothing, notice: nothing, end: async () => {}, leave: nothing })

/** One object an event, and `{dagRun}` at the end: the run's details as the API gives them. */
const json = ({ surroundings: { out, err }, tz }: Scene): Report => ({
  begin: nothing,
  event: (event) => void out.write(`${JSON.stringify(event)}\n`),
  notice: (text) => void err.write(`${text}\n`),
  async end(view) {
    const { detailsOf } = await import('./details.ts')
    out.write(`${JSON.stringify({ dagRun: detailsOf(view, tz) })}\n`)
  },
  leave: nothing
})

/** One line a transition, with its time. */
function lines(scene: Scene): Report {
  const { surroundings, tz, paint, look } = scene
  const { out, err } = surroundings
  const time = clockFace(tz)
  const begun = new Map<string, { shown: string; at: number }>()
  // A failed step's line waits for the reason, and the lines after it wait for that line.
  let written = Promise.resolve()
  return {
    begin: ({ name, dagRunId }) => void out.write(`run ${dagRunId} of ${oneLine(name)}\n`),
    event(event) {
      const actor = event.step ?? ''
      const shown = shownOf(event)
      const known = begun.get(actor)
      if (!shown || known?.shown === shown) return
      begun.set(actor, { shown, at: known?.at ?? event.at })
      written = written.then(async () => {
        const view =
          (shown === 'failed' || shown === 'retry') && event.run ? await look(event.run).catch(unseen) : undefined
        out.write(`${transitionLine(event, { shown, time, paint, begunAt: known?.at, view })}\n`)
      })
    },
    notice: (text) => void err.write(`${text}\n`),
    async end(view) {
      await written
      writeSummary(surroundings, view, paint)
    },
    leave: nothing
  }
}

const FRAME_MS = 100
/** A look at a large run may cost much: at most this part of the time goes into looking. */
const SHARE_OF_LOOKING = 0.1

/** The events are those of the run itself: what it calls is looked at in between. */
const CALLS_MS = 500

const callsSomething = ({ nodes, handlers }: RunView): boolean =>
  [...nodes, ...Object.values(handlers)].some(({ node, calls }) => node.status === 'running' && calls)

/** The run's nodes, drawn anew ten times a second. */
function live({ surroundings, paint, look }: Scene): Report {
  const { out, clock, onExit } = surroundings
  const region = liveRegion(out)
  const forget = onExit(region.end)
  let view: RunView | undefined
  let notice = ''
  let isStale = true
  let lookedAt = 0
  let looksAgainAt = 0
  let cancel = nothing

  async function lookAgain(key: RunKey): Promise<void> {
    isStale = false
    looksAgainAt = Number.POSITIVE_INFINITY
    const begun = clock.elapsed()
    view = (await look(key).catch(unseen)) ?? view
    lookedAt = clock.elapsed()
    looksAgainAt = clock.elapsed() + (clock.elapsed() - begun) / SHARE_OF_LOOKING
  }
  function draw(): void {
    if (!view) return
    const columns = out.columns || 80 // some pseudo-terminals say 0
    const rows = out.rows || 24
    const lastLine = ({ stdout }: { stdout?: string }) => (stdout && lastLines(stdout, 1)[0]) || ''
    region.draw(frame(view, { now: clock.now(), columns, lines: rows, paint, lastLine, notice }))
  }
  function tick(key: RunKey): void {
    if (view && callsSomething(view) && clock.elapsed() >= lookedAt + CALLS_MS) isStale = true
    if (isStale && clock.elapsed() >= looksAgainAt) void lookAgain(key)
    draw()
    cancel = clock.after(FRAME_MS, () => tick(key))
  }
  function leave(): void {
    cancel()
    region.end()
    forget()
  }
  return {
    begin: tick,
    event() {
      isStale = true
    },
    notice(text) {
      notice = text
      draw()
    },
    async end(last) {
      leave()
      writeSummary(surroundings, last, paint)
    },
    leave
  }
}

const reports: Record<Style, (scene: Scene) => Report> = { quiet, json, live, lines }
