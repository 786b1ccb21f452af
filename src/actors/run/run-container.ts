/** The container of a run, and the settings of steps that run in containers. Source: execution-semantics 3.3, 10.2.20-33. */
import { createHash } from 'node:crypto'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Container, Plan, RegistryAuths, RunKey, Step } from '../../../machines/vocabulary.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField } from '../../definition/text/variables.ts'
import { TroupeError } from '../../errors.ts'
import { reasonOf } from '../../executors/docker/connection.ts'
import type { ContainerSurroundings } from '../../executors/executor.ts'
import type { StepServices } from '../root/step-services.ts'
import { dataNames, loadLookup } from './run-environment.ts'
import type { RunScope } from './run-scope.ts'

/** Whether a step runs in the container of its run. */
export const isInside = ({ container }: Plan, { executor }: Step): boolean =>
  container !== undefined && executor.type === 'docker' && !executor.own

export const runLabel = ({ name, dagRunId }: RunKey): string => `${name}/${dagRunId}`

export function keyOfLabel(label: string): RunKey {
  const [name = '', dagRunId = ''] = label.split('/')
  return { name, dagRunId }
}

// D615: the `container` of a DAG is expanded everywhere
/** Creates the container of a run, if it has one. @throws TroupeError with the reason, secrets masked */
export async function openRunContainer(services: StepServices, scope: RunScope, signal: AbortSignal): Promise<void> {
  const { plan, secrets } = scope
  if (!plan.container) return
  try {
    const look = lookOf(services, scope, signal)
    const container = await expanded(plan.container, look)
    const name = await containerName(services, scope)
    await services.containers.open(
      {
        ...(await baseOf(services, scope)),
        container: { ...container, name },
        warn: (message) => services.logs.write(scope.runLog, 'WARN', secrets.mask(message))
      },
      signal
    )
  } catch (cause) {
    const reason = secrets.mask(reasonOf(cause))
    throw new TroupeError('internal_error', `failed to start the container of the run: ${reason}`, { cause })
  }
}

// D616: a run releases its container before its end
/** Removes the container of a run. A failure is written to the run log: the next start of the engine tries again. */
export async function releaseRunContainer(services: StepServices, key: RunKey): Promise<void> {
  const { runLog, secrets } = services.scope(key)
  try {
    await services.containers.release(runLabel(key))
  } catch (error) {
    services.logs.write(runLog, 'WARN', secrets.mask(reasonOf(error)))
  }
}

/** The surroundings of an execution of a docker step, besides its config. */
export async function containerFor(
  services: StepServices,
  scope: RunScope,
  { attempt }: AttemptInput,
  step: Step,
  all: Lookup
): Promise<ContainerSurroundings> {
  const { labels, ...rest } = await baseOf(services, scope)
  const container = { ...rest, labels: { ...labels, step: step.name, attempt: String(attempt) } }
  if (!isInside(scope.plan, step)) return container
  const dir = step.dir === undefined ? '' : await expandField(step.dir, all)
  const workingDir = dir.startsWith('/') ? { workingDir: dir } : {}
  return { ...container, shared: { container: await containerName(services, scope), ...workingDir } }
}

async function baseOf(services: StepServices, scope: RunScope): Promise<ContainerSurroundings> {
  const { registryAuths } = scope.plan
  const { substitute: _, ...look } = lookOf(services, scope)
  return {
    labels: { run: runLabel(scope.key) },
    base: scope.workingDir,
    ...(registryAuths === undefined ? {} : { registryAuths: await expandedAuths(registryAuths, look) })
  }
}

/** Deterministic, so that it is found again after a restart. */
async function containerName(services: StepServices, scope: RunScope): Promise<string> {
  const { plan, key, runAttempt } = scope
  const { substitute: _, ...look } = lookOf(services, scope)
  if (plan.container?.name) return expandField(plan.container.name, look)
  const hash = createHash('sha256')
    .update(`${scope.nodeLogs}\n${runLabel(key)}\n${runAttempt}`)
    .digest('hex')
  return `troupe-${hash.slice(0, 16)}`
}

/** DAG env and the server's environment; params and secrets as in steps. */
const lookOf = (services: StepServices, scope: RunScope, signal?: AbortSignal): Lookup => {
  const { plan, env, dataEnv, secrets, params, dataParams } = scope
  const values = Object.fromEntries(params.map(({ name, value }) => [name, value]))
  const data = dataNames(plan, [...dataEnv, ...Object.keys(secrets.values), ...dataParams])
  return loadLookup({ ...env, ...secrets.values, ...values }, data, { ...services, signal })
}

/** Backtick commands run in `env` only. */
async function expanded(container: Container, look: Lookup): Promise<Container> {
  const { substitute: _, ...plain } = look
  const text = (value: string) => expandField(value, plain)
  const texts = (values: string[]) => Promise.all(values.map(text))
  const { image, user, workingDir, platform, network, volumes, ports, command, env } = container
  const entries = env.map(async ({ key, value }) => ({ key, value: await expandField(value, look) }))
  return {
    ...container,
    image: await text(image),
    ...(user === undefined ? {} : { user: await text(user) }),
    ...(workingDir === undefined ? {} : { workingDir: await text(workingDir) }),
    ...(platform === undefined ? {} : { platform: await text(platform) }),
    ...(network === undefined ? {} : { network: await text(network) }),
    volumes: await texts(volumes),
    ports: await texts(ports),
    command: await texts(command),
    env: await Promise.all(entries)
  }
}

async function expandedAuths(auths: RegistryAuths, look: Lookup): Promise<RegistryAuths> {
  const text = (value: string) => expandField(value, look)
  if (typeof auths === 'string') return text(auths)
  const entries = Object.entries(auths).map(async ([host, entry]) => {
    const fields = Object.entries(entry).map(async ([key, value]) => [key, await text(value)] as const)
    return [host, Object.fromEntries(await Promise.all(fields))] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
