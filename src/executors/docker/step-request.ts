/** Requests to Docker for a docker step. Source: definition-format "Rules for the container executor", execution-semantics 10.2. */
import type { Json } from '../../../machines/vocabulary.ts'
import { isShellLike } from '../../definition/shell/shell.ts'
import { splitWords } from '../../definition/shell/words.ts'
import type { ContainerSurroundings, Execution } from '../executor.ts'
import { ConfigError, configValues } from '../frame/config-values.ts'
import {
  type ApiObject,
  apiObject,
  bind,
  endpoints,
  envList,
  exposedPorts,
  portBindings,
  textMap
} from './api-objects.ts'
import { LABEL } from './connection.ts'
import type { ImageRequest, PullPolicy } from './image.ts'
import { networkOf, published } from './ports.ts'

export interface StepRequest extends Partial<ImageRequest> {
  containerName?: string
  autoRemove: boolean
  /** Empty: the default command of the image. */
  words: string[]
  container: ApiObject
  host: ApiObject
  network: ApiObject
  exec: ApiObject
}

/** @throws Error for a request that cannot be fulfilled */
export function stepRequest(execution: Execution): StepRequest {
  const { container: context, step } = execution
  const config = step.executor.own ? inApiWords(execution.config ?? {}) : (execution.config ?? {})
  const words = wordsOf(execution)
  if (context?.shared) return { autoRemove: false, words, container: {}, host: {}, network: {}, exec: {} }
  const values = configValues(config)
  const part = (name: string): Json | undefined =>
    Object.entries(config).find(([key]) => key.toLowerCase() === name)?.[1]
  const image = values.text('image')?.trim()
  const containerName = values.text('containerName')?.trim()
  const platform = values.text('platform')?.trim()
  if (!image && !containerName) throw new ConfigError('containerName or image must be specified')
  const exec = apiObject(part('exec'), 'exec')
  if (!containerName && Object.keys(exec).length > 0)
    throw new ConfigError("'exec' options require 'containerName' (exec-in-existing mode)")
  const { AutoRemove: hostRemoves, ...host } = apiObject(part('host'), 'host')
  return {
    ...(image ? { image, pull: pullPolicy(values.text('pull')) } : {}),
    ...(containerName ? { containerName } : {}),
    ...(platform ? { platform } : {}),
    autoRemove: values.flag('autoRemove') === true || hostRemoves === true,
    words,
    container: apiObject(part('container'), 'container'),
    host,
    network: apiObject(part('network'), 'network'),
    exec
  }
}

/** The config of a step's own `container`: its `ports` and `network` have the format of the DAG's. */
function inApiWords({ ports, network, container, host, ...rest }: ApiObject): ApiObject {
  const { exposed, bindings } = published(Array.isArray(ports) ? ports.map(String) : [])
  const { mode, endpoints: joined } = networkOf(typeof network === 'string' ? network : undefined)
  return {
    ...rest,
    container: { ...apiObject(container, 'container'), ExposedPorts: exposed },
    host: { ...apiObject(host, 'host'), PortBindings: bindings, ...mode },
    network: joined
  }
}

function pullPolicy(text = 'missing'): PullPolicy {
  const word = { true: 'always', false: 'never', '': 'missing' }[text] ?? text
  if (word === 'always' || word === 'missing' || word === 'never') return word
  throw new ConfigError('config.pull: wanted always, missing, never, true or false')
}

/** The words of the step; a script runs in a shell inside the container. */
function wordsOf({ words = [], script }: Execution): string[] {
  if (script === undefined) return words
  const text = script.trim()
  if (words.length > 0) return [...words, '-c', text]
  if (!text.startsWith('#!')) return ['sh', '-e', '-c', text]
  const interpreter = splitWords(text.slice(2).split('\n', 1)[0] ?? '')
  const [program = '', argument = ''] = interpreter
  if (!isShellLike(program.endsWith('/env') ? argument : program))
    throw new ConfigError('script interpreter is not supported with the docker executor')
  return [...interpreter, '-c', text]
}

/** The request for a new container. Further networks are joined before the start: older Docker engines accept only one. */
export interface NewContainer {
  body: ApiObject
  further: [string, ApiObject][]
}

export function newContainer(
  { image = '', words, container, host, network }: StepRequest,
  { labels, base }: Pick<ContainerSurroundings, 'labels' | 'base'>,
  owner: string
): NewContainer {
  const { Env: env, ExposedPorts: exposed, Labels: own, ...config } = container
  const { Binds: binds, PortBindings: bindings, ...hostConfig } = host
  const ports = portBindings(bindings)
  const [first, ...further] = endpoints(network)
  const environment = envList(env, 'container.env')
  return {
    further,
    body: {
      ...config,
      Image: image,
      ...(words.length > 0 ? { Entrypoint: [], Cmd: words } : {}),
      ...(environment ? { Env: environment } : {}),
      ExposedPorts: { ...exposedPorts(exposed), ...exposedPorts(ports) },
      Labels: { ...textMap(own, 'container.labels'), ...labelled(labels, owner) },
      HostConfig: {
        ...(first ? { NetworkMode: first[0] } : {}),
        ...hostConfig,
        PortBindings: ports,
        Binds: (envList(binds, 'host.binds') ?? []).map((text) => bind(text, base))
      },
      ...(first ? { NetworkingConfig: { EndpointsConfig: Object.fromEntries([first]) } } : {})
    }
  }
}

/** Labels with the prefix of the engine. */
export const labelled = (labels: Record<string, string>, owner: string): Record<string, string> =>
  Object.fromEntries(Object.entries({ ...labels, owner }).map(([name, value]) => [`${LABEL}${name}`, value]))
