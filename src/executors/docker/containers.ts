/** Containers of the Docker engine: create, find, inspect, remove. */
import type Docker from 'dockerode'
import { LABEL, reasonOf, statusOf } from './connection.ts'
import type { NewContainer } from './step-request.ts'

export type Inspected = Docker.ContainerInspectInfo

/** Names and ids; other characters could change the path of the API. */
const NAME = /^\w[\w.-]*$/

/** Undefined: there is none of this name or id. */
export async function inspected(docker: Docker, name: string): Promise<Inspected | undefined> {
  if (!NAME.test(name)) throw new Error('a name is made of letters, digits, _, . and -')
  try {
    return await docker.getContainer(name).inspect()
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

/** @returns its id @throws Error, without leaving a container behind */
export async function makeContainer(
  docker: Docker,
  { body, further }: NewContainer,
  { name, platform }: { name?: string | undefined; platform?: string | undefined }
): Promise<string> {
  // Only these go into the query: the client would add the environment, too. Its types do not know that it takes them apart like this.
  const options = { _query: { ...(name ? { name } : {}), ...(platform ? { platform } : {}) }, _body: body }
  const { id } = await docker.createContainer(options as unknown as Docker.ContainerCreateOptions)
  try {
    for (const [network, settings] of further)
      await docker.getNetwork(network).connect({ Container: id, EndpointConfig: settings })
    return id
  } catch (error) {
    await removeContainer(docker, id).catch(() => {})
    throw error
  }
}

/** Kills it when it runs. A missing one is no error. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  try {
    await docker.getContainer(id).remove({ force: true, v: true })
  } catch (error) {
    // 409: it is already being removed.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
  }
}

/** Frees the name of a container: one of ours that does not run is removed. Source: execution-semantics 10.2.5. */
export async function clearName(docker: Docker, name: string, owner: string): Promise<void> {
  const found = await doing(`the container "${name}"`, inspected(docker, name))
  if (found && !found.State.Running && found.Config.Labels?.[`${LABEL}owner`] === owner)
    await removeContainer(docker, found.Id)
}

/** Our containers with all of these labels. */
export const labelledContainers = (docker: Docker, labels: Record<string, string>): Promise<Docker.ContainerInfo[]> =>
  docker.listContainers({
    all: true,
    filters: JSON.stringify({ label: Object.entries(labels).map(([name, value]) => `${LABEL}${name}=${value}`) })
  })

export interface Noted {
  /** `oom`, `exec_die`, `exec_start: <words>`, ... */
  what: string
  attributes: Partial<Record<string, string>>
}

/** Events of a container, oldest first. The Docker engine keeps the latest 256 of all its containers together. */
export async function notedOf(docker: Docker, container: string): Promise<Noted[]> {
  const { SystemTime: now }: { SystemTime: string } = await docker.info()
  const stream = await docker.getEvents({
    since: 1,
    until: (Date.parse(now) + 1) / 1_000, // by the clock of the Docker engine
    filters: JSON.stringify({ type: ['container'], container: [container] })
  })
  const texts: string[] = []
  for await (const chunk of stream) texts.push(String(chunk))
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { Action?: string; Actor?: { Attributes?: Noted['attributes'] } } => JSON.parse(line))
    .map(({ Action: what = '', Actor: { Attributes: attributes = {} } = {} }) => ({ what, attributes }))
}

/** @throws Error that names the failed operation */
export async function doing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new Error(`${what}: ${reasonOf(cause)}`, { cause })
  }
}
