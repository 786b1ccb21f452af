/**
 * `artifacts`: a container beside those of the action that serves the artifact API. They share its network, so that it listens
 * on their 127.0.0.1 and is unreachable for everyone else. Source: execution-semantics 10.9.2.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import type Docker from 'dockerode'
import { makeFolder } from '../../../platform/make-folder.ts'
import { LABEL, readable } from '../../docker/connection.ts'
import { doing, makeContainer, removeContainer } from '../../docker/containers.ts'
import { pieces } from '../../docker/frames.ts'
import type { GhaRequest } from '../request.ts'
import type { ServerSettings } from './server.ts'

export interface ServiceOptions {
  request: GhaRequest
  artifacts: NonNullable<GhaRequest['artifacts']>
  /** Name of the folder below `path`, shared by all steps of the run. */
  runId: string
  labels: Record<string, string>
  /** Id of this execution; safe as a file name. */
  id: string
  say(message: string): Promise<void>
}

export interface ArtifactService {
  /** The request, with its containers in the network of the service and its address in their environment. */
  request: GhaRequest
  close(): Promise<void>
}

/** Path inside the container. */
const FOLDER = '/artifacts'
/** Limit of the artifacts of one step. */
const LIMIT_BYTES = 10 * 1_024 ** 3
/** Options of a container that belong to its network: only the owner of the network may have them. */
const [OF_CONTAINER, OF_HOST] = [['Hostname'], ['NetworkMode', 'ExtraHosts', 'Dns']]

// D633: gha: `artifacts` is served by a container beside the action
/** @param stopped aborts on a stop and when the engine closes @throws Error with the reason, leaving none behind */
export async function openArtifactService(
  docker: Docker,
  { request, artifacts, runId, labels, id, say }: ServiceOptions,
  stopped: AbortSignal
): Promise<ArtifactService> {
  const { path, port } = artifacts
  const folder = join(path, runId)
  await doing(`config.artifacts.path: ${folder} cannot be made`, makeFolder(folder, 0o777))
  const staging = join(folder, `.${id}`)
  await rm(staging, { recursive: true, force: true }) // of an earlier engine
  const token = tokenOf(runId, id)
  const settings: ServerSettings = { folder: FOLDER, staging: `.${id}`, port, token, limitBytes: LIMIT_BYTES }
  const program = await readFile(new URL('./server.js', import.meta.url), 'utf8')
  const [container, host] = [parted(request.container, OF_CONTAINER), parted(request.host, OF_HOST)]
  const body = {
    ...container.taken,
    Image: request.runner,
    Entrypoint: [],
    Cmd: ['node', '--input-type=module', '--eval', program, '--', JSON.stringify(settings)],
    User: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`, // so that the files belong to the server's user
    WorkingDir: '/',
    Labels: { ...labels, [`${LABEL}keep`]: 'false' },
    HostConfig: {
      ...host.taken,
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Mounts: [{ Type: 'bind', Source: folder, Target: FOLDER }],
      Binds: request.volumes
    }
  }
  const what = 'the artifact service cannot be started'
  const made = await doing(what, makeContainer(docker, { body, further: [] }, {}))
  const close = async () => {
    await removeContainer(docker, made)
    await rm(staging, { recursive: true, force: true })
  }
  try {
    await doing(what, begin(docker.getContainer(made), say, stopped))
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  return {
    request: {
      ...request,
      container: container.rest,
      host: { ...host.rest, NetworkMode: `container:${made}` },
      env: [...request.env, `ACTIONS_RESULTS_URL=http://127.0.0.1:${port}/`, `ACTIONS_RUNTIME_TOKEN=${token}`]
    },
    close
  }
}

/** The token: its client reads the ids in it; the service compares all of it. */
function tokenOf(runId: string, id: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { scp: `Actions.Results:${runId}:${id}` }
  return [part({ typ: 'JWT', alg: 'none' }), part(claims), randomBytes(32).toString('base64url')].join('.')
}

/** Starts it and resolves when it listens. Its later output is passed to `say`. */
async function begin(container: Docker.Container, say: ServiceOptions['say'], stopped: AbortSignal): Promise<void> {
  const attached = readable(await container.attach({ stream: true, stdout: true, stderr: true }))
  const stop = () => void attached.destroy()
  stopped.addEventListener('abort', stop, { once: true })
  const output = new PassThrough()
  void copy(attached, output)
  await container.start()
  await new Promise<void>((resolve, reject) => {
    const before: string[] = []
    let ready = false
    createInterface({ input: output })
      .on('line', (line) => {
        if (ready) return void say(line).catch(() => {}) // a broken output is reported at the end
        ready = /^ready \d+$/.test(line)
        if (ready) resolve()
        else before.push(line)
      })
      .on('close', () => {
        stopped.removeEventListener('abort', stop)
        reject(stopped.aborted ? stopped.reason : new Error(before.join('\n').trim() || 'it ended without a word'))
      })
  })
}

async function copy(from: Readable, to: PassThrough): Promise<void> {
  try {
    for await (const { bytes } of pieces(from, false)) to.write(bytes)
  } catch {
    // Cut off by a stop.
  }
  to.end()
}

function parted<T>(map: { [key: string]: T }, keys: readonly string[]) {
  const entries = Object.entries(map)
  const of = (taken: boolean) => Object.fromEntries(entries.filter(([key]) => keys.includes(key) === taken))
  return { taken: of(true), rest: of(false) }
}
