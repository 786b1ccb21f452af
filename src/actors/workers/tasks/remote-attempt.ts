/** One execution of a step on a worker. Source: distribution 3, D3, D9, D10, D13. */
import type { AttemptCommand, AttemptInput } from '../../../../machines/node.ts'
import { Unreadable } from '../../../bus/readers.ts'
import type { ResultOf } from '../../../bus/results.ts'
import type { Offer, TaskEvent } from '../../../bus/tasks.ts'
import { messageOf } from '../../../errors.ts'
import { noteExecution } from '../../../platform/note-times.ts'
import { present } from '../../../platform/present.ts'
import { nodeFiles } from '../../run/log-names.ts'
import { withLogFolder } from '../../run/removed-logs.ts'
import { stepAt } from '../../run/run-scope.ts'
import type { Attempt } from '../../runner/runner.ts'
import { appendNow } from '../../step/append.ts'
import type { AttemptEnd, Tell } from '../../step/attempt-state.ts'
import { terminated } from '../../step/report-attempt.ts'
import type { TaskRequest } from './asked-task.ts'
import { BusAway, whenAway } from './away-bus.ts'
import { type LogCopy, openLogCopy, type Sizes, tailsOf } from './log-copy.ts'
import { beginTask, type OneTask, Refused } from './one-task.ts'
import type { RemoteParts } from './remote-parts.ts'

export interface RemoteAttemptParts extends RemoteParts {
  input: AttemptInput
  tell: Tell
  request: TaskRequest & { what: 'step' }
  /** Opens the run on its worker once more. */
  reopen(signal: AbortSignal): Promise<void>
}

/** For the answer to an offer. */
const AT_ONCE_MS = 250
// D1225: what the journal of a run says of its worker, and what it does not
/** A refusal that passes, in the log of the run. */
export const POSTPONED = 'the worker refuses it for now: it is asked again'

// D1007: what an engine gives up on a lost worker is ended there as soon as that is heard
export function remoteAttempt(parts: RemoteAttemptParts): Attempt {
  const { services, dispatcher, input, tell, request, reopen, isAway } = parts
  const { clock, diskSpace } = services
  const leaving = new AbortController()
  const asked: { signal: string; kill?: 'kill' | 'force' }[] = []
  let current: OneTask<'step'> | undefined
  // D1039: after a restart each placed step says once that its offer was answered
  /** The node hears of an offer that is not answered at once; most are. One that a restart interrupted may have heard before. */
  let isWaiting = input.resumed === true
  let isOver = false
  const cancelWait = clock.after(AT_ONCE_MS, () => {
    isWaiting = true
    tell('attempt.offered')
  })
  function answered(): void {
    cancelWait()
    if (isWaiting) tell('attempt.answered')
    isWaiting = false
  }
  const handler = typeof input.place === 'string'
  const { away, cancel: cancelLook } = whenAway(
    { clock, isAway },
    request.placement.id,
    () => handler || asked.length > 0
  )
  const scope = services.scope(input.run)
  const step = stepAt(scope.plan, input.place)
  const files = nodeFiles(scope.nodeLogs, step.name)
  const paths = { stdout: files.stdout, stderr: files.stderr }
  const { id } = request.placement

  async function perform(): Promise<AttemptEnd> {
    let again: TaskRequest['again'] = {
      ...(input.resumed ? { resumed: true, ...(input.mayResume ? { mayResume: true } : {}) } : {}),
      ...(input.stopped ? { stopped: step.signalOnStop ?? 'SIGTERM' } : {})
    }
    for (;;)
      try {
        return await once(again)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (error.why === 'stopped') return terminated(services)
        if (error.why !== 'run') throw error
        // The worker knows nothing of the run, so nothing of this step either.
        await reopen(leaving.signal)
        again = again?.stopped ? { stopped: again.stopped } : {}
      }
  }

  async function once(again: Pick<Offer, 'resumed' | 'mayResume' | 'stopped'>): Promise<AttemptEnd> {
    await withLogFolder(services, scope, { signal: leaving.signal })
    await diskSpace.take(() => Object.values(paths).forEach((path) => void appendNow(path, '')), {
      signal: leaving.signal
    })
    let copy: LogCopy | undefined
    // Reads ask the task, once it is there.
    const read: OneTask<'step'>['task']['read'] = (stream, from) => {
      if (!current) throw new Error('nothing has been offered')
      return current.task.read(stream, from)
    }
    const logs = { clock, diskSpace, paths, record: `${files.state(input.attempt)}.copied`, task: { read } }
    copy = await diskSpace.take(() => openLogCopy({ ...logs, leaving: leaving.signal }, input.resumed === true), {
      signal: leaving.signal
    })
    if (!input.resumed && input.attempt > 1)
      for (const path of Object.values(paths)) await noteExecution(path, input.attempt)
    current = beginTask(dispatcher, clock, { ...request, again }, leaving.signal, {
      claimed: answered,
      postponed: (reason) =>
        services.logs.write(scope.runLog, 'WARN', POSTPONED, { step: step.name, worker: id, reason }),
      began(event) {
        copy?.began(startOf(event))
        copy?.upTo(sizesOf(event))
        if (event.what === 'found') tell('attempt.found')
        else if (step.timeoutMs > 0) tell('attempt.began', clock.now() - event.agoMs)
      },
      grown: ({ out, err }) => copy?.upTo({ stdout: out, stderr: err }),
      async ending(event) {
        copy?.began(startOf(event))
        await copy?.all(sizesOf(event), tailsOf(event))
      }
    })
    for (const { signal, kill } of asked) current.task.stop(signal, kill)
    const { event, result } = await Promise.race([current.ended, away])
    for (const { level, message, fields } of result.notes) services.logs.write(scope.runLog, level, message, fields)
    return endOf(result, clock.now() - event.agoMs)
  }

  const ended = perform()
    .catch((error: Error): AttemptEnd => {
      answered()
      const said =
        error instanceof Unreadable ? `the worker ${id} sent what cannot be read: ${error.message}` : messageOf(error)
      return {
        at: clock.now(),
        exitCode: error instanceof BusAway ? -1 : 1,
        ...(error instanceof BusAway ? { unheard: { worker: id, home: request.placement.home } } : {}),
        error: `failed to execute step "${step.name}": ${said}`
      }
    })
    .finally(() => {
      isOver = true
      cancelLook()
      cancelWait()
    })

  return {
    // An attempt that was left goes on, and nobody is told of its end.
    ended: ended.then((end) => (leaving.signal.aborted ? new Promise<never>(() => {}) : end)),
    hear(command: AttemptCommand) {
      const how =
        command.type === 'attempt.stop'
          ? { signal: command.signal }
          : { signal: 'SIGKILL', kill: command.force ? ('force' as const) : ('kill' as const) }
      asked.push(how)
      current?.task.stop(how.signal, how.kill)
    },
    stored: () => current?.task.settled(),
    leave(isGivenUp = false) {
      leaving.abort()
      cancelLook()
      cancelWait()
      if (isGivenUp && !isOver) current?.task.giveUp()
      else current?.task.leave()
    }
  }
}

const sizesOf = ({ out, err }: TaskEvent): Sizes => ({ stdout: out, stderr: err })
const startOf = ({ outFrom, errFrom }: TaskEvent): Sizes => ({ stdout: outFrom, stderr: errFrom })

const endOf = ({ notes: _, ...result }: ResultOf<'step'>, at: number): AttemptEnd =>
  ({ at, ...present(result) }) as AttemptEnd
