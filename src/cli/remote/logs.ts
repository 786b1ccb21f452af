/** What the steps of a run on a server elsewhere have printed, by time; and what they print, until it has ended. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client, MergedLog, RunDetails } from '../../client/index.ts'
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Listener, OutputStep, Stream } from '../output/listener.ts'
import { harmless, oneLine } from '../view/text.ts'

export interface RemoteLogOptions {
  api: Client
  key: RunKey
  clock: Clock
  listener: Listener
  streams: readonly Stream[]
  /** An earlier attempt of the run; default: the latest. */
  attempt?: number | undefined
  /** Second since the epoch: what is known to be older is left out. */
  since?: number | undefined
  /** Lines exactly as they were written. */
  raw?: boolean
  wants?(of: OutputStep): boolean
  /** Aborts when no more output is wanted. */
  enough: AbortSignal
  /** Told once when the server does not answer while a run is followed. */
  say?(text: string): void
}

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

/** How often a followed run is asked for more, ms. */
const LOOK_MS = 1_000

/**
 * Prints what is there; with `follow` until the run has ended.
 * @returns whether there was a line @throws TroupeError
 */
export async function printThere(options: RemoteLogOptions, follow: boolean): Promise<boolean> {
  const { api, key, clock, enough, say = () => {} } = options
  const sources = new Map<string, Source>()
  let isFirst = true
  let isSilent = false
  let hasLines = false
  while (!enough.aborted) {
    try {
      const { dagRun } = await api.getRun({ path: key })
      const isOver = dagRun.finishedAt !== ''
      await findSources(options, dagRun, sources)
      if (await printNew(options, [...sources.values()])) hasLines = true
      isFirst = false
      isSilent = false
      if (isOver || !follow) return hasLines
    } catch (error) {
      if (isFirst || !(error instanceof TroupeError && error.code === 'service_unavailable')) throw error
      if (!isSilent) say(`${error.message}; waiting for it`)
      isSilent = true
    }
    await pause(clock, LOOK_MS, enough)
  }
  return hasLines
}

/** All runs of the tree that are there by now. */
async function findSources(
  { api, key, attempt }: RemoteLogOptions,
  root: RunDetails,
  sources: Map<string, Source>
): Promise<void> {
  const add = (run: RunKey, prefix: string, top: string | undefined) => {
    const id = `${run.name}/${run.dagRunId}`
    const known = sources.get(id)
    if (!known) sources.set(id, { run, prefix, top, cursor: undefined, lines: [], hasMore: true, at: 0 })
    return !known
  }
  async function walk(run: RunDetails, prefix: string, top: string | undefined): Promise<void> {
    add({ name: run.name, dagRunId: run.dagRunId }, prefix, top)
    // An earlier attempt has the logs of its own steps.
    if (attempt !== undefined && attempt !== run.attempt) return
    const { nodes, onSuccess, onFailure, onCancel, onExit } = run
    for (const node of [...nodes, onSuccess, onFailure, onCancel, onExit]) {
      if (!node) continue
      const { step, subRuns, subRunsRepeated } = node
      const name = `${prefix}${oneLine(step.name)}`
      for (const [index, { dagRunId }] of [...subRunsRepeated, ...subRuns].entries()) {
        const label = step.parallel ? `${name}#${index + 1}/` : `${name}/`
        const found = await there(api.getSubRun({ path: { ...key, subDAGRunId: dagRunId } }))
        if (found) await walk(found.dagRun, label, top ?? step.name)
      }
    }
  }
  await walk(root, '', undefined)
}

/** Undefined: it has not begun. */
async function there(asked: Promise<{ dagRun: RunDetails }>): Promise<{ dagRun: RunDetails } | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Lines that are there by now, the earliest of all runs first. */
async function printNew(options: RemoteLogOptions, sources: readonly Source[]): Promise<boolean> {
  const { listener, raw = false, wants = () => true, streams, enough } = options
  let hasLines = false
  for (const source of sources) source.hasMore = true
  while (!enough.aborted) {
    let first: Source | undefined
    for (const source of sources) {
      if (source.lines.length === 0 && source.hasMore) await fetchMore(options, source)
      if (source.lines.length > 0 && (!first || timeOf(source) < timeOf(first))) first = source
    }
    const line = first?.lines.shift()
    if (!first || !line) return hasLines
    first.at = secondOf(line) ?? first.at
    const of: OutputStep = {
      run: first.run,
      step: line.step,
      label: `${first.prefix}${oneLine(line.step)}`,
      top: first.top ?? line.step
    }
    if (!streams.includes(line.stream) || !wants(of)) continue
    hasLines = true
    await listener.lines(of, line.stream, [raw ? line.text : harmless(line.text)], [secondOf(line)])
  }
  return hasLines
}

const timeOf = ({ lines: [line], at }: Source): number => (line && secondOf(line)) ?? at

const secondOf = ({ at }: Line): number | undefined => (at === '' ? undefined : Date.parse(at) / 1000)

async function fetchMore({ api, key, since, streams, attempt }: RemoteLogOptions, source: Source): Promise<void> {
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
