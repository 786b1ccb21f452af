/** Node and run machines driven by hand, on a stage. */
import { type AnyActorRef, createActor, type InspectionEvent, type SnapshotFrom } from 'xstate'
import { callMachine } from '../../../machines/call.ts'
import { eachMachine } from '../../../machines/each.ts'
import {
  type AttemptCommand,
  type AttemptEnded,
  type AttemptInput,
  type NodeInput,
  nodeMachine,
  statusOf
} from '../../../machines/node.ts'
import type { Interruption } from '../../../machines/policy/deaths.ts'
import { type NotificationInput, type RunInput, runMachine } from '../../../machines/run.ts'
import type { MissingCode, NodeStatus, OnlyNodes, PlacedOn, Plan, Step } from '../../../machines/vocabulary.ts'
import { recorded } from '../../../src/actors/journal/recorded.ts'
import type { Recorders } from '../../../src/actors/journal/recorder.ts'
import { key, retry } from './plans.ts'
import { invokedActors, onStage, openStage, START, type Stage } from './stage.ts'

export type NodeSnapshot = SnapshotFrom<typeof nodeMachine>
export type RunSnapshot = SnapshotFrom<typeof runMachine>

/** How an execution ends; `exitCode` 0 unless said otherwise. */
export type End = Partial<Omit<AttemptEnded, 'type'>>

const failure = (exitCode: number): End => (exitCode === 0 ? {} : { error: `exit status ${exitCode}` })

export const nodeLogic = nodeMachine.provide({
  actors: {
    ...(invokedActors('attempt', 'preparation', 'repetition', 'registration', 'alarm') as object),
    call: callMachine.provide({ actors: invokedActors('resolution', 'subRun', 'report') }),
    each: eachMachine.provide({ actors: invokedActors('itemSource', 'item', 'itemReport') })
  } as never
})
/** Its nodes are real charts. */
export const runLogic = runMachine.provide({
  actors: {
    ...(invokedActors('preparation', 'conditions', 'notification', 'release', 'alarm') as object),
    node: nodeLogic
  } as never
})

export type RunRecorders = Pick<Recorders, 'run' | 'node'>

/** Both note every transition. */
const recordedRun = ({ run, node }: RunRecorders) =>
  recorded(runLogic.provide({ actors: { node: recorded(nodeLogic, node) } }), run)

export const lostWorker = (at: number) => ({
  type: 'worker.lost' as const,
  at,
  worker: 'wa',
  home: 'a1',
  silentMs: 30_000,
  fencedAt: at + 30_000
})

/** One node, picked up at `START`. @param snapshot where it goes on */
export function driveNode(
  step: Step,
  {
    cleanUpMs = 5_000,
    snapshot,
    onInterrupt,
    ...also
  }: { cleanUpMs?: number; snapshot?: unknown; onInterrupt?: Interruption } & Pick<
    Partial<NodeInput>,
    'place' | 'onWorkerLost' | 'loss' | 'placement'
  > = {}
) {
  const stage = openStage()
  const input = { run: key(), place: 0, step, cleanUpMs, at: START, ...(onInterrupt ? { onInterrupt } : {}), ...also }
  const saved = snapshot === undefined ? {} : { snapshot: snapshot as never }
  const actor = onStage(stage, createActor(nodeLogic, { input, ...saved }))
  actor.subscribe({ error: () => {} })
  actor.start()
  const node = {
    stage,
    actor,
    status: (): NodeStatus => statusOf(actor.getSnapshot()),
    state: () => actor.getSnapshot().value,
    context: () => actor.getSnapshot().context,
    prepared(met = true, also: { error?: string } = {}) {
      const { limit, interval, ...policy } = step.retry
      const plan = retry({ ...policy, limit: Number(limit), interval: Number(interval) })
      stage.the('preparation').answer('node.prepared', { retry: plan, conditions: [], met, ...also })
    },
    unprepared: (error: string) => stage.the('preparation').answer('node.unprepared', { error }),
    began: () => stage.the('attempt').answer('attempt.began'),
    /** After a restart: it had begun, and its end is not on record. */
    found: () => stage.the('attempt').answer('attempt.found'),
    /** In place of it: the process that it was at work in has ended without closing. */
    died: () => stage.the('attempt').answer('attempt.died'),
    /** The engine lacks the executor of the step, or has it after a restart. */
    missing: (mayHaveBegun = false, code: MissingCode = { kind: 'executor', name: 'gate', step: step.name }) =>
      stage.the('attempt').answer('attempt.missing', { code, mayHaveBegun }),
    lacking: (code: MissingCode = { kind: 'function', name: 'charge', step: step.name }) =>
      stage.the('preparation').answer('node.lacking', { code }),
    registered: () => stage.the('registration').answer('function.registered'),
    /** The worker that its run was placed on was asked to take it, and answers. */
    offered: () => stage.the('attempt').answer('attempt.offered'),
    answered: () => stage.the('attempt').answer('attempt.answered'),
    /** Its worker `wa` is lost after 30 s; its fence ends what it has 30 s later. */
    loses: () => actor.send({ ...lostWorker(stage.now) }),
    fenced: () => actor.send({ type: 'worker.fenced', at: stage.now }),
    isBack: () => actor.send({ type: 'worker.back', at: stage.now }),
    /** Its run has another worker. */
    replaced: (placement?: PlacedOn) =>
      actor.send({ type: 'worker.replaced', at: stage.now, ...(placement ? { placement } : {}) }),
    /** What comes in place of an answer to whether another pass follows. */
    unanswered: (type: 'condition.failed' | 'condition.died' | 'node.lacking', also: object) =>
      stage.the('repetition').answer(type, also),
    /** What the condition of `repeatPolicy` says after a pass. */
    tested: (met: boolean) => stage.the('repetition').answer('condition.checked', { met }),
    ends(exitCode = 0, end: End = {}) {
      stage.the('attempt').answer('attempt.ended', { exitCode, ...failure(exitCode), ...end })
    },
    stop: () => actor.send({ type: 'node.stop', at: stage.now }),
    stopAtOnce: () => actor.send({ type: 'node.stop', at: stage.now, atOnce: true }),
    /** What the process was sent: names of signals, or `kill`. */
    signals: () =>
      stage.invoked
        .filter(({ slot }) => slot === 'attempt')
        .flatMap(({ received }) => received as AttemptCommand[])
        .map((command) => (command.type === 'attempt.kill' ? 'kill' : command.signal)),
    /** Numbers of the attempts begun. */
    attempts: () =>
      stage.invoked.filter(({ slot }) => slot === 'attempt').map(({ input }) => (input as AttemptInput).attempt)
  }
  return node
}

export type RunDrive = ReturnType<typeof driveRun>
export interface RunOptions {
  stage?: Stage
  /** A retry: what is kept of each node, and the only one that runs. */
  known?: RunInput['known'] & object
  only?: OnlyNodes
  /** Where it goes on, and what was seen of it before. */
  snapshot?: unknown
  seen?: Map<string, NodeSnapshot>
  begun?: string[]
  /** Note every transition. */
  recorders?: RunRecorders | undefined
  /** Sees what XState itself sends to an inspector. */
  watch?: (event: InspectionEvent) => void
}

/** One run, started at `START`. Its nodes are real charts. */
export function driveRun(plan: Plan, { stage = openStage(), snapshot, known, only, ...before }: RunOptions = {}) {
  const retried = { ...(known ? { known } : {}), ...(only === undefined ? {} : { only }) }
  const input: RunInput = { key: key(), plan, at: START, ...retried }
  /** Latest snapshot of each node and handler, by id; also of those that have ended. */
  const seen = before.seen ?? new Map<string, NodeSnapshot>()
  /** Ids of nodes and handlers in the order in which they were picked up. */
  const begun = before.begun ?? []
  let outcome: string | undefined
  let fault: unknown
  const logic = before.recorders ? recordedRun(before.recorders) : runLogic
  const actor = createActor(logic, {
    id: 'run',
    input,
    ...(snapshot === undefined ? {} : { snapshot: snapshot as never }),
    inspect(event) {
      before.watch?.(event)
      if (event.type !== '@xstate.snapshot') return
      const { id } = event.actorRef as AnyActorRef
      if (!/^(node|handler)\//.test(id)) return
      if (!seen.has(id)) begun.push(id)
      seen.set(id, event.snapshot as NodeSnapshot)
    }
  })
  onStage(stage, actor).subscribe({
    complete: () => {
      outcome = actor.getSnapshot().output?.status
    },
    error: (error) => {
      fault = error
    }
  })
  actor.start()
  const idOf = (name: string) => (name.startsWith('on') ? `handler/${name}` : `node/${name}`)
  const run = {
    stage,
    actor,
    seen,
    begun,
    recorders: before.recorders,
    state: () => actor.getSnapshot().value,
    context: () => actor.getSnapshot().context,
    /** Status at the end; undefined: it goes on. */
    outcome: () => outcome,
    /** What the run threw. */
    fault: () => fault,
    prepared: () => stage.the('preparation', 'run').answer('run.prepared'),
    unprepared: (error: string) => stage.the('preparation', 'run').answer('run.unprepared', { error }),
    checked: (met: boolean) => stage.the('conditions').answer('conditions.checked', { met, conditions: [] }),
    /** How the execution of a step, or of a handler such as `onExit`, ends. */
    ends(name: string, exitCode = 0, end: End = {}) {
      stage.the('attempt', idOf(name)).answer('attempt.ended', { exitCode, ...failure(exitCode), ...end })
    },
    /** Mails on their way, as they were asked for. */
    mails: () => stage.live('notification').map(({ input }) => input as NotificationInput),
    /** The oldest mail is sent, or given up: the chart does not care which. */
    mailed() {
      const [stub] = stage.live('notification')
      if (!stub) throw new Error('no mail is on its way')
      stub.answer('notification.ended', { actorId: stub.id })
    },
    /** The preconditions of a step do not hold. */
    skips: (name: string) =>
      stage.the('preparation', idOf(name)).answer('node.prepared', { retry: retry(), conditions: [], met: false }),
    /** Every execution that was asked to stop ends by its signal. */
    obeys() {
      for (const stub of stage.live('attempt'))
        if (stub.received.length > 0)
          stub.answer('attempt.ended', { exitCode: -1, signal: 'terminated', error: 'signal: terminated' })
    },
    /** @see driveNode */
    loses: () => actor.send(lostWorker(stage.now)),
    news: (type: 'worker.fenced' | 'worker.back' | 'worker.replaced') => actor.send({ type, at: stage.now }),
    stop: () => actor.send({ type: 'run.stop', at: stage.now }),
    /** Steps whose node is at work. */
    running: () =>
      begun
        .filter((id) => id.startsWith('node/') && id in actor.getSnapshot().children)
        .map((id) => id.slice('node/'.length)),
    status(name: string): NodeStatus {
      const index = plan.steps.findIndex((step) => step.name === name)
      return index < 0 ? handlerStatus(seen.get(idOf(name))) : (run.context().runState.status[index] ?? 'not_started')
    },
    /** Status as the node itself shows it: canceled as soon as it is asked to stop. */
    shown: (name: string): NodeStatus => handlerStatus(seen.get(idOf(name))),
    error(name: string): string | undefined {
      const index = plan.steps.findIndex((step) => step.name === name)
      const settled = run.context().runState.resolved.find((node) => node.index === index)
      return settled ? settled.error : seen.get(idOf(name))?.context.error
    }
  }
  return run
}

const handlerStatus = (snapshot: NodeSnapshot | undefined): NodeStatus =>
  snapshot ? statusOf(snapshot) : 'not_started'

/** A run whose preparation is done: its first nodes are at work. */
export function workingRun(plan: Plan): RunDrive {
  const run = driveRun(plan)
  run.prepared()
  return run
}
