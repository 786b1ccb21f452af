/** The container of a run: ready before its first step, removed after its last handler. Source: execution-semantics 10.2.20-27. */
import type Docker from 'dockerode'
import type { Container } from '../../../machines/vocabulary.ts'
import { type Clock, pause } from '../../clock.ts'
import { lineSearch } from '../../definition/text/match.ts'
import type { ContainerSurroundings } from '../executor.ts'
import { type ApiObject, bind } from './api-objects.ts'
import { type DockerEngine, LABEL, readable, reasonOf, statusOf } from './connection.ts'
import {
  clearName,
  doing,
  type Inspected,
  inspected,
  labelledContainers,
  makeContainer,
  removeContainer
} from './containers.ts'
import { credentialsFor } from './credentials.ts'
import { pieces } from './frames.ts'
import { haveImage } from './image.ts'
import { unlessAborted, within } from './patience.ts'
import { networkOf, published } from './ports.ts'
import { labelled } from './step-request.ts'

/** A container with all texts expanded. */
export interface SharedContainer extends ContainerSurroundings {
  container: Container & { name: string }
  /** Writes a sentence to the run log. */
  warn(message: string): void
}

export interface SharedContainers {
  /** Creates the container of a run and waits until it is ready. @throws Error with the reason; the container is removed */
  open(wanted: SharedContainer, signal: AbortSignal): Promise<void>
  /** Stops the container of a run, and removes it unless it is to be kept. A missing one is no error. @throws Error */
  release(run: string): Promise<void>
  /** Removes containers of runs that have ended. @param isOpen whether a run is open @throws Error */
  sweep(isOpen: (run: string) => boolean): Promise<void>
}

/** How long a container may take to become ready, and how often it is checked. */
const READY_MS = 120_000
const LOOK_MS = 500
/** Time from the stop of a container to its kill, and how long to wait for Docker. */
const STOP_SECONDS = 5
const RELEASE_MS = 30_000
/** Bytes of a line that are matched against `logPattern`. */
const LONGEST_LINE = 65_536
/** A command that waits forever. */
export const IDLE = ['sh', '-c', 'while true; do sleep 86400; done']

export function sharedContainers(engine: DockerEngine, clock: Clock): SharedContainers {
  async function made(wanted: SharedContainer, signal: AbortSignal): Promise<void> {
    const { container, labels, registryAuths } = wanted
    const { image, pull, platform, name } = container
    const client = await engine.connect()
    const owner = engine.owner()
    // A preparation that was cut off by a restart starts again.
    await removeAll(client, { ...labels, kind: 'run', keep: 'false' })
    const credentials = () => credentialsFor(image, registryAuths, engine.environment.DOCKER_AUTH_CONFIG)
    await haveImage(client, { image, pull, platform }, credentials, signal)
    await clearName(client, name, owner)
    const body = bodyOf(wanted, owner)
    const id = await doing(
      'the container cannot be made',
      makeContainer(client, { body, further: [] }, { name, platform })
    )
    try {
      await doing('the container cannot be started', client.getContainer(id).start())
      await ready(client, id, wanted, signal)
    } catch (error) {
      await removeContainer(client, id).catch(() => {})
      throw error
    }
  }

  async function ready(client: Docker, id: string, { container, warn }: SharedContainer, signal: AbortSignal) {
    const until = clock.elapsed() + READY_MS
    const look = async (what: string, holds: (state: Inspected['State']) => boolean) => {
      while (true) {
        signal.throwIfAborted()
        const state = (await inspected(client, id))?.State
        if (!state || (!state.Running && !state.Restarting))
          throw new Error(
            `the container ended before it was ready: exit code ${state?.ExitCode ?? 'unknown'}${await tailOf(client, id)}`
          )
        if (holds(state)) return
        if (clock.elapsed() >= until)
          throw new Error(`the container was not ${what} within ${READY_MS / 1_000} s${await tailOf(client, id)}`)
        await pause(clock, LOOK_MS, signal)
      }
    }
    if (container.waitFor === 'healthy')
      await look('healthy', ({ Health: health, Running: running }) => {
        if (health) return health.Status === 'healthy'
        if (running) warn('the image of the container has no health check: waitFor healthy is taken as running')
        return running
      })
    else await look('running', ({ Running: running }) => running)
    if (container.logPattern === undefined) return
    const search = await searchLog(client, id, container.logPattern)
    try {
      await look(`ready (no line of its log matches ${container.logPattern})`, search.found)
    } finally {
      search.close()
    }
  }

  async function removeAll(client: Docker, labels: Record<string, string>): Promise<void> {
    for (const { Id } of await labelledContainers(client, { owner: engine.owner(), ...labels }))
      await removeContainer(client, Id)
  }

  async function giveBack(client: Docker, { Id: id, Labels: labels, State: state }: Docker.ContainerInfo) {
    if (state === 'running' || state === 'restarting' || state === 'paused')
      await client
        .getContainer(id)
        .stop({ t: STOP_SECONDS, abortSignal: AbortSignal.timeout(RELEASE_MS) })
        .catch((error) => {
          if (statusOf(error) !== 304 && statusOf(error) !== 404) throw error // it has ended
        })
    if (labels[`${LABEL}keep`] !== 'true') await removeContainer(client, id)
  }

  async function sweepAll(isOpen: (run: string) => boolean): Promise<void> {
    const client = await engine.connect()
    for (const one of await labelledContainers(client, { owner: engine.owner() })) {
      const { Labels: labels, State: state } = one
      if (isOpen(labels[`${LABEL}run`] ?? '')) continue
      if (labels[`${LABEL}kind`] === 'run') await giveBack(client, one)
      // The container of a step is kept after its end by default.
      else if (state !== 'exited' || labels[`${LABEL}keep`] === 'false') await removeContainer(client, one.Id)
    }
  }

  async function giveBackOf(run: string): Promise<void> {
    const client = await engine.connect()
    const found = await labelledContainers(client, { owner: engine.owner(), run, kind: 'run' })
    for (const one of found) await giveBack(client, one)
  }

  return {
    // A container created after that is removed by its creator.
    open: (wanted, signal) => unlessAborted(made(wanted, signal), signal),
    async release(run) {
      if (!engine.used()) return
      const removal = within(clock, RELEASE_MS, giveBackOf(run))
      await doing('the container of the run cannot be removed', removal)
    },
    async sweep(isOpen) {
      if (!engine.used()) return
      await sweepAll(isOpen).catch((cause) => {
        throw new Error(reasonOf(cause), { cause })
      })
    }
  }
}

function bodyOf({ container, labels, base }: SharedContainer, owner: string): ApiObject {
  const { image, startup, command, env, user, workingDir, volumes, ports, network, restartPolicy } = container
  const { exposed, bindings } = published(ports)
  const { mode, endpoints } = networkOf(network)
  const words = { keepalive: IDLE, entrypoint: undefined, command }[startup]
  return {
    Image: image,
    ...(words ? { Entrypoint: [], Cmd: words } : {}),
    Env: env.map(({ key, value }) => `${key}=${value}`),
    ...(user ? { User: user } : {}),
    ...(workingDir ? { WorkingDir: workingDir } : {}),
    ExposedPorts: exposed,
    Labels: labelled({ ...labels, kind: 'run', keep: String(container.keepContainer) }, owner),
    HostConfig: {
      Init: true,
      Binds: volumes.map((volume) => bind(volume, base)),
      PortBindings: bindings,
      ...mode,
      ...(restartPolicy ? { RestartPolicy: { Name: restartPolicy } } : {})
    },
    NetworkingConfig: endpoints
  }
}

/** Whether a line of a log has matched so far, later ones included. */
async function searchLog(client: Docker, id: string, pattern: string): Promise<{ found(): boolean; close(): void }> {
  const searches = {
    stdout: lineSearch([`re:${pattern}`], LONGEST_LINE),
    stderr: lineSearch([`re:${pattern}`], LONGEST_LINE)
  }
  let matched = false
  const { Tty: tty = false } = (await inspected(client, id))?.Config ?? {}
  const options = { follow: true, stdout: true, stderr: true } as const
  const log = readable(await client.getContainer(id).logs(options))
  const read = async () => {
    for await (const { from, bytes } of pieces(log, tty)) {
      matched ||= searches[from].push(bytes)
      if (matched) return
    }
  }
  void read().catch(() => {}) // its end is noticed when the container is checked
  return { found: () => matched, close: () => void log.destroy() }
}

const TAIL_LINES = 20

/** The last lines of a log, for a message. */
async function tailOf(client: Docker, id: string): Promise<string> {
  try {
    const options = { follow: false, stdout: true, stderr: true, tail: TAIL_LINES } as const
    const log: unknown = await client.getContainer(id).logs(options)
    if (!Buffer.isBuffer(log) || log.length === 0) return ''
    const texts: string[] = []
    for await (const { bytes } of pieces(once(log), false)) texts.push(bytes.toString())
    return `\nlast lines of its log:\n${texts.join('').trimEnd()}`
  } catch (error) {
    return ` (its log cannot be read: ${reasonOf(error)})`
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
