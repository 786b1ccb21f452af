/**
 * `gha` steps: one action of the GitHub Actions format, run on the Docker engine. Runs inside the engine's process; its
 * containers end with it. Source: definition-format "Executors", row gha; execution-semantics 10.9.
 */
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import type Docker from 'dockerode'
import type { Clock } from '../../clock.ts'
import { noSecrets } from '../../masking/secrets.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { oneAtATime } from '../../platform/one-at-a-time.ts'
import { type DockerEngine, reasonOf } from '../docker/connection.ts'
import { labelledContainers, removeContainer } from '../docker/containers.ts'
import { credentialsFor } from '../docker/credentials.ts'
import { executionId } from '../docker/docker.ts'
import { haveImage } from '../docker/image.ts'
import { labelled } from '../docker/step-request.ts'
import type { Execution, Traces } from '../executor.ts'
import type { Performed, Work } from '../frame/in-process.ts'
import { masksIn } from '../frame/masked-json.ts'
import { write } from '../frame/step-output.ts'
import type { Capture } from '../launcher/capture.ts'
import { type Action, type CompositeRuns, type DockerRuns, type NodeRuns, readAction } from './action.ts'
import { type ArtifactService, openArtifactService } from './artifacts/service.ts'
import { builtImage, runContainer } from './docker-action.ts'
import { filledIn } from './expression.ts'
import { actionFile, fetchAction } from './fetch-action.ts'
import { runComposite, runNode } from './in-runner.ts'
import { ACTION, type ActionPlaces, WORKSPACE } from './places.ts'
import { type GhaRequest, ghaRequest } from './request.ts'
import { openRunner } from './runner.ts'
import { openSession } from './session.ts'
import { layOut } from './upload.ts'

export interface Gha {
  perform(work: Work): Promise<Performed>
  /** Cleans up after an execution that was cut off by the end of the engine. */
  interrupted(traces: Traces): Promise<string>
  close(): void
}

/** An action that is present: paths of its files, outside and inside the container. */
interface Located {
  folder: string
  inside: string
  /** For messages. */
  name: string
  repository: string
  ref: string
  /** Key of content that never changes; absent: it may change each time. */
  commit?: string
}

/** A running execution. */
interface Performance {
  work: Work
  request: GhaRequest
  docker: Docker
  labels: Record<string, string>
  /** Folder of this execution on the machine of the engine. */
  files: string
  say(message: string): Promise<void>
}

const hashOf = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)

// D635: gha: an execution is interrupted by a crash
export function openGha(engine: DockerEngine, capture: Capture, clock: Clock): Gha {
  const closing = new AbortController()
  const alone = oneAtATime()
  let cleared: Promise<void> | undefined
  /** Removes folders of earlier engines: their scripts may contain secrets. */
  const clear = () => {
    cleared ??= rm(engine.scratch, { recursive: true, force: true })
    return cleared
  }

  async function perform(work: Work): Promise<Performed> {
    const { execution } = work
    const request = ghaRequest(execution)
    const id = executionId(execution)
    await clear()
    const files = join(engine.scratch, id)
    await makeFolder(files, 0o700)
    try {
      const docker = await engine.connect()
      const own = { kind: 'action', execution: id, keep: String(!request.autoRemove) }
      const labels = labelled({ ...execution.container?.labels, ...own }, engine.owner())
      const say = (message: string) => write(work.stderr, `${new Date(clock.now()).toISOString()} ${message}\n`)
      return await performed({ work, request, docker, labels, files, say })
    } catch (error) {
      work.signal.throwIfAborted()
      throw new Error(reasonOf(error), { cause: error })
    } finally {
      await rm(files, { recursive: true, force: true })
    }
  }

  async function performed(at: Performance): Promise<Performed> {
    const { work, docker, files, say } = at
    const { step, inputs: provided = {}, remoteEnv: env = {}, masking } = work.execution
    const located = await locate(at)
    const action = await actionIn(located)
    await layOut(files, { ref: env.GITHUB_REF ?? '', repository: { full_name: env.GITHUB_REPOSITORY ?? '' } })
    const secrets = masking?.secrets.values ?? {}
    const token = secrets.GITHUB_TOKEN ?? env.GITHUB_TOKEN ?? ''
    const parts = { action, places: await placesOf(docker, at, located, token), provided, env, secrets }
    const artifacts = await artifactsFor(at)
    let ended: Ended
    try {
      ended = await ran(artifacts ? { ...at, request: artifacts.request } : at, located, parts)
    } finally {
      await artifacts?.close().catch((error) => say(`the artifact service cannot be removed: ${reasonOf(error)}`))
    }
    const { code, outputs } = ended
    if (outputs.size === 0 && step.output === undefined) return code
    await say(`outputs: ${[...outputs.keys()].join(', ') || 'none'}`)
    return { exitCode: code, output: `${JSON.stringify(Object.fromEntries(outputs), masksIn(masking))}\n` }
  }

  async function ran(at: Performance, located: Located, parts: Parts): Promise<Ended> {
    const { runs } = parts.action
    if (runs.using === 'docker') return inOwnContainer(at, located, runs, parts)
    if (!at.request.reuse) return inRunner(at, located, runs, parts)
    return alone.take(reuseKey(at), () => inRunner(at, located, runs, parts))
  }

  async function artifactsFor(at: Performance): Promise<ArtifactService | undefined> {
    const { work, request, docker, labels, say } = at
    const { artifacts, reuse, runner: image } = request
    if (!artifacts) return undefined
    if (reuse) await say('warning: reuseContainers has no effect with artifacts')
    await haveImage(docker, { image, pull: 'missing' }, credentials(at, image), work.signal)
    const [, runId = ''] = (work.execution.container?.labels.run ?? '').split('/')
    const options = {
      request: { ...request, reuse: false },
      artifacts,
      runId,
      labels,
      id: executionId(work.execution),
      say
    }
    return openArtifactService(docker, options, AbortSignal.any([work.signal, closing.signal]))
  }

  /** Fetches the action, or finds it in the working directory. */
  async function locate({ request, files, work, say }: Performance): Promise<Located> {
    const { reference, instance } = request
    const { workingDir } = work.execution
    if ('local' in reference) {
      const { local: name } = reference
      const inside = posix.resolve(WORKSPACE, name)
      return { folder: resolve(workingDir, name), inside, name, repository: '', ref: '' }
    }
    const { repository, path, ref } = reference
    const name = `${repository}${path && `/${path}`}@${ref}`
    await say(`fetching ${name}`)
    const into = join(files, ACTION)
    const { environment } = engine
    const secrets = work.execution.masking?.secrets ?? noSecrets
    const { commit } = await fetchAction(reference, {
      instance,
      into,
      environment,
      secrets,
      capture,
      signal: work.signal
    })
    return { folder: join(into, path), inside: posix.join(ACTION, path), name, repository, ref, commit }
  }

  const credentials =
    ({ work }: Performance, image: string) =>
    () =>
      credentialsFor(image, work.execution.container?.registryAuths, engine.environment.DOCKER_AUTH_CONFIG)

  async function inRunner(
    at: Performance,
    { inside }: Located,
    runs: NodeRuns | CompositeRuns,
    parts: Parts
  ): Promise<Ended> {
    const { work, request, docker, labels, files, say } = at
    const { runner: image, container, host, env, autoRemove } = request
    await haveImage(docker, { image, pull: 'missing' }, credentials(at, image), work.signal)
    const reuse = request.reuse ? { owner: engine.owner(), reuse: reuseKey(at) } : undefined
    const marked = reuse ? { ...labels, ...labelled({ reuse: reuse.reuse, keep: 'true' }, engine.owner()) } : labels
    const options = { image, container, host, env, labels: marked, autoRemove, files, ...(reuse ? { reuse } : {}) }
    const runner = await openRunner(docker, options, work, clock, closing.signal)
    try {
      const session = openSession({ ...parts, path: runner.path })
      for (const warning of session.warnings) await say(`warning: ${warning}`)
      const around = { runner, session, actionPath: inside, say }
      const { outputs } = parts.action
      const code = runs.using === 'node' ? await runNode(runs, around) : await runComposite(runs, outputs, around)
      return { code, outputs: session.outputs }
    } finally {
      await runner.close().catch((error) => say(`the runner cannot be removed: ${reasonOf(error)}`))
    }
  }

  async function inOwnContainer(at: Performance, located: Located, runs: DockerRuns, parts: Parts): Promise<Ended> {
    const { work, request, docker, labels, files, say } = at
    const { container, host, autoRemove, forceRebuild, reuse, instance } = request
    const { repository, inside, commit, folder } = located
    if (reuse) await say('warning: reuseContainers has no effect on a docker action')
    const session = openSession(parts)
    for (const warning of session.warnings) await say(`warning: ${warning}`)
    const context = session.context()
    const tag = `troupe-action:${hashOf(instance, repository, inside, commit ?? folder)}`
    const ready = /^docker:\/\/(?<image>.+)$/.exec(runs.image)?.groups?.image
    const image = ready ?? tag
    if (ready) await haveImage(docker, { image, pull: 'missing' }, credentials(at, image), work.signal)
    else {
      const build = { context: folder, dockerfile: runs.image, tag, rebuild: forceRebuild || !commit }
      const sayLine = (line: string) => void say(line).catch(() => {}) // a broken output is reported at the end
      await builtImage(docker, { ...build, withoutCache: forceRebuild }, sayLine, work.signal)
    }
    const own: Record<string, string> = {}
    for (const [name, value] of runs.env) own[name] = filledIn(value, session.context(own))
    const { args, entrypoint } = runs
    const { code, commands } = await runContainer(
      docker,
      {
        image,
        ...(args ? { args: args.map((arg) => filledIn(arg, context)) } : {}),
        ...(entrypoint === undefined ? {} : { entrypoint: filledIn(entrypoint, context) }),
        env: { ...envOf(request.env), ...session.environment(own) },
        container,
        host,
        labels,
        autoRemove,
        files
      },
      work,
      clock,
      closing.signal
    )
    session.take(commands)
    return { code, outputs: session.outputs }
  }

  return {
    perform,
    async interrupted(traces) {
      try {
        await clear()
        if (!engine.used()) return ''
        const docker = await engine.connect()
        const execution = executionId(traces)
        for (const { Id } of await labelledContainers(docker, { owner: engine.owner(), execution }))
          await removeContainer(docker, Id)
        return ''
      } catch (error) {
        return `; its containers may be running: ${reasonOf(error)}`
      }
    },
    close: () => closing.abort()
  }
}

type Parts = Omit<Parameters<typeof openSession>[0], 'path'>
type Ended = { code: number; outputs: ReadonlyMap<string, string> }

async function actionIn({ folder, name }: Located): Promise<Action> {
  const file = actionFile(folder)
  if (file === undefined) throw new Error(`${name}: there is no action.yml, nor action.yaml`)
  return readAction(await readFile(file, 'utf8'), `${name}: ${file.endsWith('yml') ? 'action.yml' : 'action.yaml'}`)
}

async function placesOf(
  docker: Docker,
  { work, request }: Performance,
  { inside, repository, ref }: Located,
  token: string
): Promise<ActionPlaces> {
  const { Arch: arch } = await docker.version()
  const { step, container } = work.execution
  const [runName = '', runId = ''] = (container?.labels.run ?? '').split('/')
  return {
    actionPath: inside,
    repository,
    ref,
    architecture: { amd64: 'X64', arm64: 'ARM64', '386': 'X86', arm: 'ARM' }[arch] ?? arch.toUpperCase(),
    serverUrl: request.instance.includes('://') ? request.instance : `https://${request.instance}`,
    runName,
    runId,
    stepName: step.name,
    token
  }
}

/** What a container must share with an earlier one to be reused. */
function reuseKey({ work, request }: Performance): string {
  const { step, container }: Execution = work.execution
  const [name = ''] = (container?.labels.run ?? '').split('/')
  const { runner, host, env } = request
  return hashOf(name, step.name, runner, JSON.stringify([host, env, request.container]))
}

const envOf = (list: string[]): Record<string, string> =>
  Object.fromEntries(list.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]))
