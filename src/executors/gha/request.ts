/** Parses the words and config of a gha step. Source: execution-semantics 10.9.1, 10.9.2. */
import { resolve } from 'node:path'
import type { Json } from '../../../machines/vocabulary.ts'
import { type ActionReference, actionReference, REFERENCE_REASON } from '../../definition/steps/action-reference.ts'
import type { ApiObject } from '../docker/api-objects.ts'
import type { Execution } from '../executor.ts'
import { ConfigError, configValues } from '../frame/config-values.ts'
import { containerOptions } from './container-options.ts'
import { WORKSPACE } from './places.ts'

export interface GhaRequest {
  reference: ActionReference
  runner: string
  autoRemove: boolean
  reuse: boolean
  forceRebuild: boolean
  instance: string
  /** Settings of all its containers, in the names of the Docker API. */
  container: ApiObject
  host: ApiObject
  env: string[]
  /** From `containerOptions`; also in `host`. */
  volumes: string[]
  /** `path` is absolute. Absent: no artifacts are served. */
  artifacts?: { path: string; port: number }
}

const RUNNER = 'node:24-bookworm'
const INSTANCE = 'github.com'
const ARTIFACT_PORT = 34567

/** @throws ConfigError */
export function ghaRequest({ words = [], config = {}, workingDir }: Execution): GhaRequest {
  const reference = words.length === 1 ? actionReference(words[0] ?? '') : undefined
  if (!reference) throw new ConfigError(`command: ${REFERENCE_REASON}, found "${words.join(' ')}"`)
  const values = configValues(config)
  const artifacts = artifactsOf(lowered(config).artifacts, workingDir)
  const capabilities = configValues(mapOf(lowered(config).capabilities, 'capabilities'))
  const network = values.text('network')?.trim()
  const socket = values.text('dockerSocket')?.trim()
  const options = containerOptions(values.text('containerOptions') ?? '', workingDir)
  const { CapAdd: added, CapDrop: dropped, ...host } = options.host
  const joined = (key: string, more: Json | undefined) => [
    ...(capabilities.texts(key) ?? []),
    ...(Array.isArray(more) ? more : [])
  ]
  return {
    reference,
    runner: values.text('runner')?.trim() || RUNNER,
    autoRemove: values.flag('autoRemove') ?? true,
    reuse: values.flag('reuseContainers') ?? false,
    forceRebuild: values.flag('forceRebuild') ?? false,
    instance: values.text('githubInstance')?.trim() || INSTANCE,
    container: options.container,
    env: options.env,
    volumes: options.binds,
    ...(artifacts ? { artifacts } : {}),
    host: {
      ...host,
      ...(network ? { NetworkMode: network } : {}),
      Privileged: values.flag('privileged') ?? false,
      CapAdd: joined('add', added),
      CapDrop: joined('drop', dropped),
      Mounts: [{ Type: 'bind', Source: workingDir, Target: WORKSPACE }],
      Binds: [...(socket ? [`${socket.replace(/^unix:\/\//, '')}:/var/run/docker.sock`] : []), ...options.binds]
    }
  }
}

function artifactsOf(value: Json | undefined, base: string): GhaRequest['artifacts'] {
  if (value === undefined || value === null) return undefined
  const values = configValues(mapOf(value, 'artifacts'))
  const path = values.text('path')?.trim()
  if (!path) throw new ConfigError('config.artifacts.path is missing: the folder in which artifacts are kept')
  const port = values.number('port') ?? ARTIFACT_PORT
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new ConfigError(`config.artifacts.port: wanted 1 to 65535, found ${port}`)
  return { path: resolve(base, path), port }
}

const lowered = (config: { [key: string]: Json }): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key.toLowerCase(), value]))

function mapOf(value: Json | undefined, where: string): { [key: string]: Json } {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value
  throw new ConfigError(`config.${where}: wanted a map`)
}
