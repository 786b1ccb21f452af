/** What the steps of a run have printed and print, asked of the API: of a server elsewhere, whose logs are not here, and of an earlier attempt. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client, MergedLog, RunDetails } from '../../client/index.ts'
import { pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { nodesOf } from '../view/nodes.ts'
import { harmless, oneLine } from '../view/text.ts'
import type { OutputStep } from './listener.ts'
import type { OutputOptions, RunOutput } from './run-output.ts'

type Line = MergedLog['lines'][number]

/** The logs of one run of the tree, and how far they have been read. */
interface Source {
  run: RunKey
  prefix: string
  /** The step of the root run that it belongs to; undefined: the root run. */
  top: string | undefined
  cursor: string | undefined
  lines: Line[]
  hasMore: boolean
  /** Instant of the line before. */
  at: number
}

/** One way through the logs. */
interface Reading extends Pick<OutputOptions, 'attempt' | 'listener' | 'raw'> {
  api: Client
  key: RunKey
  streams: NonNullable<OutputOptions['streams']>
  wants(of: OutputStep): boolean
  /** Second since the epoch: what is known to be older is left out. */
  since?: number | undefined
  enough: AbortSignal
  sources: Map<string, Source>
}

/** How often a followed run is asked for more, ms. */
const LOOK_MS = 1_000

export function outputByApi(options: OutputOptions): RunOutput {
  const { client, key, clock, which, streams = ['stdout', 'stderr'], wants = () => true, say = () => {} } = options
  const { api } = client
  const enough = new AbortController()
  const { signal } = enough
  const readingOf = (more: Partial<Reading>): Reading => ({
    ...options,
    api,
    streams,
    wants,
    enough: signal,
    sources: new Map(),
    ...more
  })
  let reading = readingOf({})
  let following: Promise<unknown> | undefined

  async function look(reading: Reading, run?: RunDetails): Promise<RunDetails> {
    const root = run ?? (await api.getRun({ path: { ...key } })).dagRun
    await findSources(reading, root)
    await printNew(reading)
    return root
  }
  /** Prints until the run has ended. */
  async function follow(): Promise<RunDetails | undefined> {
    for (let isSilent = false; !signal.aborted; await pause(clock, LOOK_MS, signal))
      try {
        const run = await look(reading)
        if (run.finishedAt !== '') return run
        isSilent = false
      } catch (error) {
        if (!(error instanceof TroupeError && error.code === 'service_unavailable')) throw error
        if (!isSilent) say(`${error.message}; waiting for it`)
        isSilent = true
      }
    return undefined
  }

  return {
    begin() {
      if (which === 'failed') return
      const begun = api.getRun({ path: { ...key } }).then(({ dagRun }) => {
        reading = readingOf({ since: sinceOf(dagRun) })
        return follow()
      })
      following = begun.catch(() => {}) // the command that follows the run says why the server does not answer
    },
    event() {},
    follow,
    async print(run, { since } = {}) {
      reading = readingOf({ since })
      await look(reading, run)
    },
    async flushed() {},
    async end(run) {
      await following
      if (which === 'all') return
      const failed = nodesOf(run).flatMap(({ step, statusLabel }) => (statusLabel === 'failed' ? [step.name] : []))
      const wanted = readingOf({ wants: ({ top }) => failed.includes(top), since: sinceOf(run) })
      if (failed.length > 0) await look(wanted, run).catch(() => {})
    },
    stop: () => enough.abort()
  }
}

/** What a retry keeps belongs to an earlier attempt. */
const sinceOf = ({ startedAt, attempt }: RunDetails): number | undefined =>
  attempt > 1 && startedAt !== '' ? Math.floor(Date.parse(startedAt) / 1000) : undefined

/** All runs of the tree that are there by now. */
async function findSources({ api, key, attempt, sources }: Reading, root: RunDetails): Promise<void> {
  async function walk(run: RunDetails, prefix: string, top: string | undefined): Promise<void> {
    const { name, dagRunId } = run
    const [id, at] = [`${name}/${dagRunId}`, { run: { name, dagRunId }, prefix, top }]
    if (!sources.has(id)) sources.set(id, { ...at, cursor: undefined, lines: [], hasMore: true, at: 0 })
    // An earlier attempt has the logs of its own steps.
    if (attempt !== undefined && attempt !== run.attempt) return
    for (const { step, subRuns, subRunsRepeated } of nodesOf(run)) {
      const name = `${prefix}${oneLine(step.name)}`
      for (const [index, { dagRunId }] of [...subRunsRepeated, ...subRuns].entries()) {
        const label = step.parallel ? `${name}#${index + 1}/` : `${name}/`
        const found = await api.getSubRun({ path: { ...key, subDAGRunId: dagRunId } }).catch(noneYet)
        if (found) await walk(found.dagRun, label, top ?? step.name)
      }
    }
  }
  await walk(root, '', undefined)
}

/** A sub DAG run that has not begun has no details. */
function noneYet(error: unknown): undefined {
  if (!(error instanceof TroupeError && error.code === 'not_found')) throw error
}

/** Lines that are there by now, the earliest of all runs first. */
async function printNew(reading: Reading): Promise<void> {
  const { listener, raw = false, wants, streams, enough } = reading
  const sources = [...reading.sources.values()]
  for (const source of sources) source.hasMore = true
  while (!enough.aborted) {
    let first: Source | undefined
    for (const source of sources) {
      if (source.lines.length === 0 && source.hasMore) await fetchMore(reading, source)
      if (source.lines.length > 0 && (!first || timeOf(source) < timeOf(first))) first = source
    }
    const line = first?.lines.shift()
    if (!first || !line) return
    first.at = secondOf(line) ?? first.at
    const of: OutputStep = {
      run: first.run,
      step: line.step,
      label: `${first.prefix}${oneLine(line.step)}`,
      top: first.top ?? line.step
    }
    if (!streams.includes(line.stream) || !wants(of)) continue
    await listener.lines(of, line.stream, [raw ? line.text : harmless(line.text)], [secondOf(line)])
  }
}

const timeOf = ({ lines: [line], at }: Source): number => (line && secondOf(line)) ?? at

const secondOf = ({ at }: Line): number | undefined => (at === '' ? undefined : Date.parse(at) / 1000)

async function fetchMore({ api, key, since, streams, attempt }: Reading, source: Source): Promise<void> {
  const [stream] = streams
  const query = {
    ...(source.cursor === undefined ? {} : { cursor: source.cursor }),
    ...(since === undefined ? {} : { since }),
    ...(streams.length === 1 && stream ? { stream } : {})
  }
  const part = await (source.top === undefined
    ? api.getMergedLog({ path: key, query: attempt === undefined ? query : { ...query, attempt } })
    : api.getSubRunMergedLog({ path: { ...key, subDAGRunId: source.run.dagRunId }, query }))
  source.lines = part.lines
  source.cursor = part.cursor
  source.hasMore = part.hasMore
}
