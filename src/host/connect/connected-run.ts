/** A run of another process's engine: started once, and watched across a change of owners. */
import type { RunKey, RunStatus, Thrown } from '../../../machines/vocabulary.ts'
import { OPERATIONS } from '../../api/contract/operations.ts'
import type { ConnectedRun } from '../../builder/run-types.ts'
import { ApiError } from '../../client/api-error.ts'
import { openEvents } from '../../client/events.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import { pause, uuidV7 } from '../../clock.ts'
import type { EngineEvent, SignalOptions, SignalStep } from '../../engine/engine.ts'
import { SignalRefused, TroupeError } from '../../errors.ts'
import { mustBe } from '../host-values.ts'
import { WaitTimedOut } from '../run-errors.ts'
import { following, outcome, waiting, within } from '../run-outcome.ts'
import { endOf, isEndOf, LOOK_MS, looked } from './ends.ts'
import { firstOf, isAway, type Owner, refused } from './owner.ts'

interface StartBody {
  params: string
  dagRunId: string
  queue?: string
  singleton?: boolean
}

// D1765: a start has its id from the client, so that a second request for it finds the run
/** Resolves when the run is durable, in this owner or one before. @throws TroupeError */
export function started(
  { api, ask }: Owner,
  { name, dagRunId }: RunKey,
  body: StartBody,
  enqueue: boolean
): Promise<void> {
  const path = { fileName: name }
  const unknown = `whether run ${dagRunId} of ${name} has begun is not known: handle with this id finds it if it has`
  return ask(
    async (isRepeated) => {
      try {
        await (enqueue ? api.enqueueDag({ path, body }) : api.startDag({ path, body }))
      } catch (error) {
        const isRefused = error instanceof ApiError && !isAway(error)
        if (!isRepeated || !isRefused || !(await isThere())) throw error
      }
    },
    { unknown }
  )

  async function isThere(): Promise<boolean> {
    try {
      await api.getRun({ path: { name, dagRunId } })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false
      throw error
    }
  }
}

export function connectedRun(owner: Owner, { name, dagRunId }: RunKey): ConnectedRun {
  const { api, ask, clock } = owner
  const path = { name, dagRunId }
  return {
    name,
    dagRunId,
    async result({ timeoutMs, signal } = {}) {
      mustBe(waiting, { timeoutMs }, 'result')
      const late = () => new WaitTimedOut(path, timeoutMs ?? 0)
      const enough = new AbortController()
      try {
        const run = await within(endOf(owner, path, enough.signal), { clock, signal, timeoutMs, late })
        const { result = null } = await ask(() => api.getRunOutputs({ path }))
        return outcomeOf(run, result)
      } finally {
        enough.abort()
      }
    },
    signal: (step, payload, options) => signaled(owner, { ...path, step }, payload, options),
    async stop({ by, force } = {}) {
      const client = owner.as(by)
      const body = force === undefined ? {} : { force }
      const isStopped = async () => (await api.getRun({ path })).dagRun.statusLabel === 'canceled'
      await ask(
        async (isRepeated) => {
          try {
            await client.stopRun({ path, body })
          } catch (error) {
            const isEnded = error instanceof ApiError && error.code === 'not_running'
            if (!isRepeated || !isEnded || !(await isStopped())) throw error
          }
        },
        { unknown }
      )
    },
    events({ after = 0, signal } = {}) {
      mustBe(following, { after }, 'events')
      return eventsOf(owner, path, after, signal)
    }
  }
}

/** @throws SignalRefused, TroupeError */
export async function signaled(
  owner: Owner,
  { name, dagRunId, subRunId, step }: SignalStep,
  payload: unknown,
  { by, id = uuidV7(owner.clock) }: SignalOptions = {}
): Promise<void> {
  const client = owner.as(by)
  const path = { name, dagRunId, stepName: step }
  const body = { payload, id }
  try {
    await owner.ask(
      () =>
        subRunId === undefined
          ? client.signalStep({ path, body })
          : client.signalSubRunStep({ path: { ...path, subDAGRunId: subRunId }, body }),
      { unknown }
    )
  } catch (error) {
    throw asRefusedSignal(error)
  }
}

const unknown = 'whether it was done is not known: it may be asked for again'

const SIGNAL_REFUSALS: ReadonlySet<string> = new Set<SignalRefused['code']>([
  'not_found',
  'already_given',
  'ended',
  'not_running',
  'bad_request'
])

const asRefusedSignal = (error: unknown): unknown =>
  error instanceof TroupeError && SIGNAL_REFUSALS.has(error.code)
    ? // Its code is one of these, and the issues are texts, as `errors` of the API are.
      new SignalRefused(error.code as SignalRefused['code'], error.message, (error.details?.errors ?? []) as string[])
    : error

/** @throws RunFailed, RunCanceled */
function outcomeOf(details: RunDetails, result: unknown): unknown {
  const { name, dagRunId, statusLabel, error, preconditions, stoppedBy, nodes } = details
  const { onExit, onSuccess, onFailure, onCancel } = details
  const all = [...nodes, onSuccess, onFailure, onCancel, onExit].flatMap((node) => node ?? [])
  return outcome({
    run: { name, dagRunId },
    status: statusLabel as RunStatus, // it has ended
    error,
    isUnmet: preconditions.some(({ matched }) => matched === false),
    stoppedBy,
    failures: all
      .filter((node) => node.statusLabel === 'failed')
      .map(({ step, finishedAtMs, error, thrown }) => ({
        step: step.name,
        finishedAt: finishedAtMs,
        error,
        thrown: thrown && chained(thrown)
      })),
    result: () => result as ReturnType<Parameters<typeof outcome>[0]['result']> // JSON, as it came
  })
}

/** An error with its causes, which the API has in a row. */
const chained = ([first, ...causes]: readonly Thrown[]): Thrown | undefined => {
  const cause = causes.length > 0 ? chained(causes) : undefined
  return first && { ...first, ...(cause ? { cause } : {}) }
}

/** Ends with the run. @throws TroupeError; the reason of `signal` */
async function* eventsOf(
  owner: Owner,
  path: RunKey & Record<string, string>,
  after: number,
  signal: AbortSignal | undefined
): AsyncGenerator<EngineEvent, void> {
  const { ask, options, clock, closed } = owner
  const over = firstOf(closed, ...(signal ? [signal] : []))
  try {
    for (let [seq, isOver] = [after, false]; ; ) {
      const follow = (await looked(owner, path, isOver)).finishedAt === ''
      const input = { path, query: { after: String(seq), follow }, signal: over.signal }
      const stream = await ask(() => openEvents(options, OPERATIONS.streamRunEvents, input), { signal })
      try {
        for await (const told of stream) {
          if (!('event' in told)) continue
          seq = told.event.seq
          yield eventOf(told.event)
          isOver = isEndOf(told.event, path)
          if (isOver && follow) break // what is stored after it comes without waiting
        }
        if (!follow) return
      } catch (error) {
        signal?.throwIfAborted()
        if (!isAway(error)) throw refused(error)
      }
      if (!isOver) await pause(clock, LOOK_MS, over.signal) // an engine that closes ends it at once
    }
  } finally {
    over.abort()
  }
}

/** What an owner tells of an event; its `context`, `kept` and `trigger` stay there. */
const eventOf = ({ name, dagRunId, seq, atMs, actor, event, from, to, cause, step, statusLabel }: JournalEvent) =>
  ({
    run: { name, dagRunId },
    seq,
    at: atMs,
    actor,
    event,
    from,
    to,
    ...(cause === undefined ? {} : { cause }),
    ...(step === undefined ? {} : { step }),
    ...(statusLabel === undefined ? {} : { status: statusLabel })
  }) as EngineEvent // statuses of a later release may be others
