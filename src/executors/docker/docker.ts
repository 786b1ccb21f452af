/**
 * `docker` steps: a new container, or a command in a running one. Both outlive the engine: a container is found again by its
 * record or its label. Source: definition-format "Rules for the container executor", execution-semantics 10.2, 13.5.3.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Execution, Executor, Running, Traces } from '../executor.ts'
import { recorded } from '../frame/in-process.ts'
import { openStepOutput, type Written } from '../frame/step-output.ts'
import { notesIn, offsetIn, readState, recordBegin, recordNote, stateFiles } from '../processes/state-file.ts'
import { envList } from './api-objects.ts'
import { startCommand } from './command-in.ts'
import { type DockerEngine, LABEL, readable, reasonOf } from './connection.ts'
import { clearName, doing, inspected, labelledContainers, makeContainer } from './containers.ts'
import { credentialsFor } from './credentials.ts'
import { foundCommand, heldCommand, standingOf } from './found-command.ts'
import { openHolds } from './hold.ts'
import { haveImage } from './image.ts'
import type { CommandTrace } from './inside.ts'
import { ownContainer } from './own-container.ts'
import { patiently } from './patience.ts'
import { newContainer, type StepRequest, stepRequest } from './step-request.ts'
import type { Target } from './target.ts'

/** The record of an execution. */
interface Note extends Partial<CommandTrace> {
  /** Id of the step's own container, without `exec`; else of the one it is executed in. */
  container?: string
  autoRemove?: boolean
  /** Lengths of the logs when its output began. */
  logs?: Written
  copies?: NonNullable<Execution['copies']>
  /** The output of the command is captured for later steps. */
  captured?: boolean
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
/** Label by which a container is found when its record is incomplete. */
export const executionId = ({ state }: Pick<Traces, 'state'>): string => nameOf(state)
const nameOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 24)

/** In the container's memory; one per step, so that a repeating step does not fill it. */
const slipFor = ({ stdout }: Traces): string => `/dev/shm/.troupe-${nameOf(stdout)}`

// D613: docker: OOMKilled with exit code 0 is 137
export function docker(engine: DockerEngine, clock: Clock): Executor {
  const { hold, held, closing, close } = openHolds(clock)
  const abandoning = new Set<Promise<void>>()

  function start(execution: Execution): Running {
    const offset = sizeOf(execution.stdout)
    const output = openStepOutput(execution, clock)
    let path: string | undefined
    /** First called before the command is started: an execution that was cut off before that never began. */
    const add = (note: Note) => {
      if (path === undefined) {
        path = stateFiles(execution.state).next
        recordBegin(path, offset)
        const logs = { stdout: offset, stderr: sizeOf(execution.stderr) }
        recordNote(path, { logs, ...(execution.copies ? { copies: execution.copies } : {}), ...note })
      } else recordNote(path, note)
    }
    return hold({ base: execution.state, output, offset, record: () => path }, async (stopped) => {
      const request = stepRequest(execution)
      const client = await engine.connect()
      const running = await runningContainer(client, execution, request)
      if (stopped.aborted) throw new Error('stopped')
      if (running) {
        if (request.words.length === 0)
          throw new Error(
            `step command is required: the container "${running}" runs already, and the step is executed in it`
          )
        const { step } = execution
        const captured = step.output !== undefined || step.continueOn.outputs.length > 0
        const { User: user, Env: env, Tty: _, ...settings } = request.exec // a terminal would merge the streams
        const { shared } = execution.container ?? {}
        const dir = shared?.workingDir
        const list = envList(env, 'exec.env')
        const command = {
          container: running,
          words: request.words,
          ...(shared ? { slip: slipFor(execution) } : {}), // nothing is written into containers of others
          ...(user ? { user: String(user) } : {}),
          settings: { ...settings, ...(list ? { Env: list } : {}), ...(dir ? { WorkingDir: dir } : {}) }
        }
        return heldCommand(
          client,
          await startCommand(client, command, clock, (trace) => add({ captured, ...trace })),
          captured,
          clock
        )
      }
      return await startContainer(client, execution, request, stopped, add)
    })
  }

  /** Name of the container to execute in; undefined: a new one. */
  async function runningContainer(client: Docker, execution: Execution, { containerName, image }: StepRequest) {
    const name = execution.container?.shared?.container ?? containerName
    if (!name) return undefined
    const found = await doing(`the container "${name}"`, inspected(client, name))
    if (found?.State.Running && !found.State.Paused) return name
    if (image) return undefined
    throw new Error(`container "${name}" is not running`)
  }

  async function startContainer(
    client: Docker,
    execution: Execution,
    request: StepRequest,
    stopped: AbortSignal,
    note: (note: Note) => void
  ): Promise<Target> {
    const { container: context = { labels: {}, base: execution.workingDir } } = execution
    const { image = '', pull = 'missing', platform, containerName: name, autoRemove } = request
    const credentials = () => credentialsFor(image, context.registryAuths, engine.environment.DOCKER_AUTH_CONFIG)
    await haveImage(client, { image, pull, platform }, credentials, stopped)
    if (stopped.aborted) throw new Error('stopped')
    const owner = engine.owner()
    if (name) await clearName(client, name, owner)
    const own = { kind: 'step', keep: String(!autoRemove), execution: executionId(execution) }
    const labels = { ...context.labels, ...own }
    const made = newContainer(request, { ...context, labels }, owner)
    const id = await doing('the container cannot be made', makeContainer(client, made, { name, platform }))
    note({ autoRemove, container: id })
    const container = client.getContainer(id)
    let stream: Readable
    try {
      stream = readable(await container.attach({ stream: true, stdout: true, stderr: true }))
      await container.start()
    } catch (cause) {
      await container.remove({ force: true, v: true }).catch(() => {})
      throw new Error(`the container cannot be started: ${reasonOf(cause)}`, { cause })
    }
    return ownContainer(client, id, autoRemove, clock, { stream, tty: made.body.Tty === true })
  }

  function find(traces: Traces): Running | undefined {
    const known = held(traces.state)
    if (known) return known
    const { latest } = stateFiles(traces.state)
    const found = readState(latest)
    if (found.state === 'absent') {
      if (!traces.isLost) return undefined
      recordBegin(latest, 0) // its container is found by the label, its log read from the beginning
      recordNote(latest, { logs: { stdout: 0, stderr: 0 } })
    }
    const offset = offsetIn(latest)
    if (found.state === 'ended') return recorded({ end: found.end, offset }, clock.now())
    const { logs = { stdout: offset, stderr: 0 }, copies, ...note }: Note = notesIn(latest)
    const own = note.exec === undefined
    // The log of a container is read again from its beginning; the output of a command is lost.
    const written = own
      ? { stdout: sizeOf(traces.stdout) - logs.stdout, stderr: sizeOf(traces.stderr) - logs.stderr }
      : undefined
    const output = openStepOutput({ ...traces, ...(copies ? { copies } : {}) }, clock, written)
    const target = reachAgain(traces, note)
    target.catch(() => {})
    const running = hold(
      { base: traces.state, output, offset, record: () => latest },
      async () => (await target).target
    )
    const over = target.then((reached) => reached.over)
    const givenUp = running.ended.then(() => false)
    return Object.assign(running, { over: Promise.race([over, givenUp]).catch(() => false) })
  }

  async function reachAgain(traces: Traces, note: Note): Promise<{ target: Target; over: boolean }> {
    const { exec, container, captured = false, ...trace } = note
    try {
      const client = await engine.connect()
      if (exec !== undefined && container !== undefined) {
        const known = { ...trace, exec, container }
        const standing = await patiently(clock, closing, () => standingOf(client, known))
        return { target: foundCommand(client, known, captured, clock), over: typeof standing === 'object' }
      }
      const info = await patiently(clock, closing, async () => {
        const id = container ?? (await byLabel(client, traces))
        return id === undefined ? undefined : inspected(client, id)
      })
      if (!info)
        throw new Error(
          traces.isLost ? 'its log folder was removed, and no container has its label' : 'its container is gone'
        )
      const { autoRemove = info.Config.Labels[`${LABEL}keep`] === 'false' } = note
      return { target: ownContainer(client, info.Id, autoRemove, clock), over: info.State.Status === 'exited' }
    } catch (cause) {
      throw new TroupeError('internal_error', `interrupted: outcome unknown: ${reasonOf(cause)}`, { cause })
    }
  }

  /** A container that was created, but whose id was not recorded. */
  const byLabel = async (client: Docker, traces: Traces): Promise<string | undefined> =>
    (await labelledContainers(client, { owner: engine.owner(), execution: executionId(traces) }))[0]?.Id

  return {
    type: 'docker',
    reads: 'words',
    handsOnScripts: true,
    needs: ['container'],
    start,
    find,
    abandon(traces) {
      const { latest } = stateFiles(traces.state)
      const { state } = readState(latest)
      if (state === 'absent' || state === 'ended') return undefined
      const note: Note = notesIn(latest)
      // Our container is removed; its output is no longer read, because it could not be masked.
      if (note.exec === undefined) return undefined
      const killed = reachAgain(traces, note).then(({ target, over }) => (over ? undefined : target.signal('SIGKILL')))
      abandoning.add(killed)
      const over = () => abandoning.delete(killed)
      killed.then(over, over)
      return killed
    },
    async close() {
      close()
      await Promise.allSettled(abandoning)
    }
  }
}
