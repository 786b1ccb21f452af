/**
 * What the steps of a run and of its sub DAG runs print, while it runs and afterwards. The events say which step writes; the
 * content is read from its logs, where secrets are masked already.
 */
import { dirname } from 'node:path'
import type { NodeStatus, RunKey } from '../../../machines/vocabulary.ts'
import { nodeFiles } from '../../actors/run/log-names.ts'
import type { TreePlace } from '../../api/tree-events.ts'
import type { JournalEvent, Node, RunDetails } from '../../client/index.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { runOf } from '../owner/known-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import { startOf } from '../view/row.ts'
import { treeLabels } from './labels.ts'
import type { OutputStep, Stream } from './listener.ts'
import { type Log, logReadings, type ReadingOptions } from './log-readings.ts'
import { printMerged, type WrittenLog } from './merged-output.ts'

export interface OutputOptions extends ReadingOptions {
  client: Pick<OpenClient, 'api' | 'follow' | 'watchTree' | 'isElsewhere'>
  key: RunKey
  /** `failed`: only steps that have failed. */
  which: 'all' | 'failed'
  streams?: readonly Stream[]
  /** Selects steps; absent: all. */
  wants?(of: OutputStep): boolean
  /** An earlier attempt; absent: the latest. */
  attempt?: number | undefined
  /** Told once when a server elsewhere does not answer while the run is followed. */
  say?(text: string): void
}

export interface RunOutput {
  /** The run has begun, and is followed by its events. */
  begin(): void
  /** An event of the root run, in order. */
  event(event: JournalEvent): void
  /** Hears of the whole tree by itself, from now on and of what was before. Resolves when the run has ended, or no more is wanted. @throws TroupeError as `OpenClient.follow` */
  follow(): Promise<RunDetails | undefined>
  /**
   * Prints what the tree of a run has written so far, by time; within a second in the order of the starts of the steps.
   * @param how.goesOn it is followed after that: the end of a line that is being written is left for then
   * @param how.since second since the epoch: what is known to be older is left out
   */
  print(run: RunDetails, how?: { goesOn?: boolean; since?: number | undefined }): Promise<void>
  /** Resolves when the output of all steps that have ended so far is written. */
  flushed(): Promise<void>
  /** The run has ended: resolves when the rest is written. @param since steps that began earlier belong to an earlier attempt and are left out */
  end(run: RunDetails, since?: number): Promise<void>
  /** No more output is wanted. */
  stop(): void
}

/** How the nodes of a run are gone through. */
interface Walk {
  /** Follow those that have not ended; false: read what is there. */
  running: boolean
  /** Epoch ms: those that began earlier are left out. */
  since: number
  /** Their logs are only collected. */
  into?: WrittenLog[]
}

const STREAMS = ['stdout', 'stderr'] as const
const ENDS: ReadonlySet<string | undefined> = new Set<NodeStatus>([
  'succeeded',
  'failed',
  'skipped',
  'partially_succeeded'
])

// D432: the result of a call is not shown as step output
export function runOutput(options: OutputOptions): RunOutput {
  const { client, key, which, streams = STREAMS, wants = () => true } = options
  const enough = new AbortController()
  /** Sub DAG runs whose first event was received, and those of them that have ended. */
  const [begun, ended] = [new Set<string>(), new Set<string>()]
  /** Steps that call sub DAG runs: their own stdout is a report about those runs. */
  const callers = new Set<string>()
  const isReport = ({ of, stream }: Pick<Log, 'of' | 'stream'>) => stream === 'stdout' && callers.has(idOf(of))
  const readings = logReadings(options, isReport, enough.signal)
  const labels = treeLabels(client.api, key)
  /** Events are handled one at a time: each may need the place of a run that an earlier one found. */
  let queue = Promise.resolve()
  let root: TreePlace | undefined
  let joined: Promise<unknown> | undefined

  function next(act: () => Promise<void>): Promise<void> {
    const done = queue.then(act)
    queue = done.catch(() => {}) // a lost engine is reported to the one that follows the run
    return done
  }
  const later = (act: () => Promise<void>) => void next(act).catch(() => {})

  function logsOf(of: OutputStep, nodeLogs: string): Log[] {
    const files = nodeFiles(nodeLogs, of.step)
    const all = streams.map((stream) => ({ path: files[stream], of, stream }))
    return all.filter((log) => !isReport(log))
  }
  const begin = (of: OutputStep, nodeLogs: string) => logsOf(of, nodeLogs).forEach(readings.begin)
  /** One stream after the other. */
  async function finish(of: OutputStep, nodeLogs: string): Promise<void> {
    for (const log of logsOf(of, nodeLogs)) await readings.finish(log)
  }

  async function heard(event: Heard, place: TreePlace): Promise<void> {
    const { step, statusLabel: status, to } = event
    const { key: run, nodeLogs } = place
    const called = event.event === 'call.resolved' ? callerOf(event.actor, run) : undefined
    if (called !== undefined) {
      callers.add(idOf({ run, step: called }))
      listenToTree()
    }
    if (step === undefined) noteRun(event, run)
    if (step === undefined || status === undefined) return
    const isOver = ENDS.has(status) || (status === 'canceled' && to === 'canceled')
    if (!isOver && (status !== 'running' || which === 'failed')) return
    const of = await labels.stepOf(place, step)
    if (!wants(of)) return
    if (!isOver) begin(of, nodeLogs)
    else if (which === 'all' || status === 'failed') await finish(of, nodeLogs)
  }
  function noteRun({ from, statusLabel: status, actor }: Heard, run: RunKey): void {
    const id = runIdOf(run)
    if (actor !== `run/${id}`) return
    if (from === '') {
      begun.add(id)
      ended.delete(id)
    } else if (status !== 'running' && status !== undefined && begun.has(id)) ended.add(id)
  }

  /** Sub DAG runs need their own subscription. */
  function listenToTree(): void {
    joined ??= client
      .watchTree(
        key,
        (event, place) => {
          if (place.caller) later(() => heard(heardOf(event), place))
        },
        () => catchUp(startOf)
      )
      .catch(() => {}) // a lost engine is reported to the one that follows the run; `end` prints the rest
  }
  /** What began before the subscription. @param from steps that began earlier belong to an earlier attempt */
  const catchUp = (from: (run: RunDetails) => number | undefined) =>
    later(async () => {
      const run = await runOf(client.api, key)
      if (run) await walk(run, placeOf(run), { running: true, since: from(run) ?? 0 })
    })

  async function lookAtRoot(): Promise<TreePlace | undefined> {
    const run = await runOf(client.api, key)
    for (const { step } of run?.nodes ?? [])
      if (step.call !== undefined) callers.add(idOf({ run: key, step: step.name }))
    return run && placeOf(run)
  }
  const placeOf = ({ name, dagRunId, nodeLogs = '' }: RunDetails): TreePlace => ({ key: { name, dagRunId }, nodeLogs })

  /** The nodes of a run in the order of their starts. */
  async function walk(run: RunDetails, place: TreePlace, how: Walk): Promise<void> {
    const begun = nodesOf(run).filter((node) => (startOf(node) ?? -1) >= how.since && node.stdout !== '')
    for (const found of begun.sort((a, b) => (startOf(a) ?? 0) - (startOf(b) ?? 0))) {
      if (enough.signal.aborted) return
      await walkNode(found, place, how)
    }
  }
  async function walkNode(node: Node, place: TreePlace, how: Walk) {
    const { step, subRuns, subRunsRepeated, stdout, statusLabel } = node
    const { key: run, nodeLogs } = place
    if (step.call !== undefined) callers.add(idOf({ run, step: step.name }))
    const of = await labels.stepOf(place, step.name)
    const isOver = node.finishedAt !== ''
    // What a retry has kept is where the earlier attempt has written it.
    const folder = stdout ? dirname(stdout) : nodeLogs
    if (wants(of) && (which === 'all' || statusLabel === 'failed')) {
      const startedAt = startOf(node)
      if (how.into)
        how.into.push(...logsOf(of, folder).map((log) => ({ ...log, startedAt, isDone: isOver || !how.running })))
      else if (how.running && !isOver) begin(of, folder)
      else await finish(of, folder)
    }
    for (const called of [...subRunsRepeated, ...subRuns]) {
      if (called.statusLabel === 'not_started' || ended.has(runIdOf(called))) continue
      const sub = await runOf(client.api, called)
      if (sub) await walk(sub, { ...placeOf(sub), caller: { parent: run, step: step.name } }, how)
    }
  }

  return {
    begin() {},
    event: (event) =>
      later(async () => {
        root ??= await lookAtRoot()
        if (root) await heard(event, root)
      }),
    async follow() {
      joined = client
        .watchTree(
          key,
          (event, place) => later(() => heard(heardOf(event), place)),
          () => catchUp(() => 0)
        )
        .catch(() => {})
      return client.follow(key, () => {})
    },
    print: (run, { goesOn = false, since } = {}) =>
      next(async () => {
        const into: WrittenLog[] = []
        await walk(run, placeOf(run), { running: goesOn, since: 0, into })
        await printMerged(into, options, { since, enough: enough.signal, readTo: readings.skipTo })
      }),
    flushed: () => queue,
    async end(run, since = 0) {
      if (joined) await joined // the last events come before the end
      await next(() => walk(run, placeOf(run), { running: false, since }))
      await readings.finishAll()
    },
    stop: () => enough.abort()
  }
}

/** A transition of the root run, or of one below it. */
type Heard = Pick<JournalEvent, 'actor' | 'event' | 'from' | 'to' | 'step' | 'statusLabel'>

const heardOf = ({ status, ...event }: EngineEvent): Heard => ({ ...event, ...(status ? { statusLabel: status } : {}) })

const idOf = ({ run, step }: Pick<OutputStep, 'run' | 'step'>) => `${runIdOf(run)}/${step}`
const runIdOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

/** The step of an actor `run/<name>/<id>/node/<step>/attempt`. */
function callerOf(actor: string, { name, dagRunId }: RunKey): string | undefined {
  const [before, after] = [`run/${name}/${dagRunId}/node/`, '/attempt']
  return actor.startsWith(before) && actor.endsWith(after) ? actor.slice(before.length, -after.length) : undefined
}
