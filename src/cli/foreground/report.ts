/** How a run in the foreground is shown: live on a terminal, as lines, as JSON, or not at all. Source: api-semantics 11 (start). */
import type { JournalEvent } from '../../client/index.ts'
import type { CliContext } from '../context.ts'
import { lines } from './report-lines.ts'
import { live } from './report-live.ts'
import type { Report, Scene } from './report-scene.ts'

export type Style = 'quiet' | 'json' | 'live' | 'lines'

export const reportOf = (style: Style, scene: Scene): Report => reports[style](scene)

/** @param environment of the process: a `TERM=dumb` terminal cannot move the cursor */
export function styleOf(
  on: ReadonlySet<string>,
  { out }: CliContext,
  environment: Readonly<Record<string, string>>
): Style {
  if (on.has('quiet')) return 'quiet'
  if (on.has('json')) return 'json'
  return out.isTTY && environment.TERM !== 'dumb' ? 'live' : 'lines'
}

const nothing = () => {}

const quiet = (): Report => ({ begin: nothing, event: nothing, notice: nothing, end: async () => {}, leave: nothing })

/** One object per event, and `{dagRun}` at the end: the run's details as in the API. */
const json = ({ context: { out, err } }: Scene): Report => ({
  begin: nothing,
  event: (event) => void out.write(`${JSON.stringify(lineOf(event))}\n`),
  notice: (text) => void err.write(`${text}\n`),
  end: async (dagRun) => void out.write(`${JSON.stringify({ dagRun })}\n`),
  leave: nothing
})

/** As in the journal. */
const lineOf = ({ name, dagRunId, at: _, atMs: at, status: __, statusLabel: status, ...rest }: JournalEvent) => ({
  run: { name, dagRunId },
  ...rest,
  at,
  status
})

const reports: Record<Style, (scene: Scene) => Report> = { quiet, json, live, lines }
