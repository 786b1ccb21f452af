/** Runs, queues, waits and decisions without those that the caller must not hear of. Source: docs/authentication.md "Roles". */
import type { ParameterizedContext } from 'koa'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { isEnough } from '../../config.ts'
import type {
  DecisionsPart,
  Engine,
  Explanation,
  QueueView,
  WaitingFilter,
  WaitingPart,
  WorkersView
} from '../../engine/engine.ts'
import { waitingCursor } from '../../engine/views/waiting-view.ts'
import { OTHER } from '../metrics/label-values.ts'
import { historyOf } from '../shapes/dag-names.ts'
import { turns } from '../turns.ts'
import { sightOf } from './sight.ts'

/** Whether the caller sees a run; undefined: they see all. */
export async function seesRun(ctx: ParameterizedContext): Promise<((run: RunKey | RunRecord) => boolean) | undefined> {
  const sight = sightOf(ctx)
  if (!sight.rights.hidesSome) return undefined
  await sight.ready()
  return sight.seesRun
}

/** Whether the caller sees the definition of a DAG name; undefined: they see all. */
async function seesName(ctx: ParameterizedContext): Promise<((name: string) => boolean) | undefined> {
  const sight = sightOf(ctx)
  if (!sight.rights.hidesSome) return undefined
  await sight.ready()
  return sight.seesName
}

export async function seenRuns<R extends RunKey>(ctx: ParameterizedContext, runs: R[]): Promise<R[]> {
  const sees = await seesRun(ctx)
  return sees ? runs.filter(sees) : runs
}

/** The DAG name of a file's history, as `historyOf`; a definition that is hidden is as good as gone. */
export async function seenHistoryOf(ctx: ParameterizedContext, engine: Engine, fileName: string): Promise<string> {
  const name = historyOf(fileName, engine)
  const sees = await seesName(ctx)
  return sees && !sees(name) ? fileName : name
}

/** Comes after every name in the list of runs. */
const NO_NAME = '~'

/** The list of runs as the caller sees it. No place to continue at says the name of a run that they must not hear of. */
export async function seenParts(ctx: ParameterizedContext, engine: Engine): Promise<Pick<Engine, 'runsPart'>> {
  const sees = await seesRun(ctx)
  if (!sees) return engine
  return {
    runsPart(filter, after, isEnough) {
      const { runs, next } = engine.runsPart(filter, after, isEnough)
      return { runs: runs.filter(sees), ...(next ? { next: sees(next) ? next : { ...next, name: NO_NAME } } : {}) }
    }
  }
}

/**
 * A queue of one DAG has its name, so it is hidden with it; of another one, the runs that are hidden. Who has no role on the server sees
 * only queues in which there is something for them.
 */
export async function seenQueues(ctx: ParameterizedContext, queues: QueueView[]): Promise<QueueView[]> {
  const [sees, seesOf] = [await seesRun(ctx), await seesName(ctx)]
  if (!sees || !seesOf) return queues
  const isViewer = isEnough(sightOf(ctx).rights.server.role, 'viewer')
  return queues
    .map((queue) => ({ ...queue, running: queue.running.filter(sees), queued: queue.queued.filter(sees) }))
    .filter(({ name, maxConcurrency, running, queued }) =>
      maxConcurrency === undefined ? seesOf(name) : isViewer || running.length + queued.length > 0
    )
}

/** Waits in parts, like `waitingPart`. */
export async function seenWaits(
  ctx: ParameterizedContext,
  engine: Engine,
  filter: WaitingFilter,
  limit: number,
  after: string | undefined
): Promise<WaitingPart> {
  const sees = await seesRun(ctx)
  const turn = turns()
  for (let from = after; ; ) {
    const part = engine.waitingPart(filter, limit, from)
    if (!sees) return part
    const waiting = part.waiting.filter(({ run, root = run }) => sees(root))
    const last = waiting.at(-1)
    if (part.next === undefined) return { waiting }
    // Where the part has ended may say a name that is hidden.
    if (last) return { waiting, next: waitingCursor(last.run) }
    from = part.next
    await turn()
  }
}

export async function seenDecisions(ctx: ParameterizedContext, part: DecisionsPart): Promise<DecisionsPart> {
  const sees = await seesName(ctx)
  return sees ? { ...part, decisions: part.decisions.filter(({ decision }) => sees(decision.name)) } : part
}

/** Reasons without the runs of others in the same queue that the caller does not see; how many there are is said all the same. */
export async function seenReasons(ctx: ParameterizedContext, explanation: Explanation): Promise<Explanation> {
  const sees = await seesRun(ctx)
  if (!sees) return explanation
  const isShown = ({ name, dagRunId }: Explanation['reasons'][number]['blockedBy'][number]) =>
    dagRunId === undefined || sees({ name, dagRunId })
  const reasons = explanation.reasons.map((reason) => ({ ...reason, blockedBy: reason.blockedBy.filter(isShown) }))
  return { ...explanation, reasons }
}

/** Workers with the runs that the caller sees. */
export async function seenWorkers(ctx: ParameterizedContext, view: WorkersView): Promise<WorkersView> {
  const sees = await seesRun(ctx)
  if (!sees) return view
  const workers = view.workers.map((worker) => ({ ...worker, tasks: worker.tasks.filter(({ root }) => sees(root)) }))
  return { ...view, workers }
}

/** A series of one DAG has its name as a label, and so has one of a queue, which may be that of one DAG. */
const LABEL = /[{,](dag|queue)="([^"]*)"/

/** Metrics in the text form of Prometheus, without the series of what is hidden. */
export async function seenMetrics(
  ctx: ParameterizedContext,
  engine: Pick<Engine, 'readQueues'>,
  text: string
): Promise<string> {
  const sees = await seesName(ctx)
  if (!sees) return text
  const queues = new Set((await seenQueues(ctx, await engine.readQueues())).map(({ name }) => name))
  const isShown = (line: string) => {
    const [, label, name = ''] = LABEL.exec(line) ?? []
    return label === undefined || name === OTHER || (label === 'dag' ? sees(name) : queues.has(name))
  }
  return text.split('\n').filter(isShown).join('\n')
}
