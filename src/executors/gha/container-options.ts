/** `containerOptions`: options of the `docker` program that describe a container. Source: execution-semantics 10.9.2. */
import type { Json } from '../../../machines/vocabulary.ts'
import { splitWords } from '../../definition/shell/words.ts'
import { type ApiObject, bind } from '../docker/api-objects.ts'
import { ConfigError } from '../frame/config-values.ts'

export interface ContainerOptions {
  /** Parts of the objects of the Docker API. */
  container: ApiObject
  host: ApiObject
  env: string[]
  binds: string[]
}

const SHORT: Readonly<Record<string, string>> = {
  '-m': '--memory',
  '-u': '--user',
  '-e': '--env',
  '-v': '--volume',
  '-h': '--hostname'
}
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1_024, m: 1_024 ** 2, g: 1_024 ** 3 }

function bytesOf(option: string, value: string): number {
  const { number = '', unit = '' } = /^(?<number>\d+)(?<unit>[bkmg]?)$/i.exec(value)?.groups ?? {}
  const bytes = Number(number) * (UNITS[unit.toLowerCase()] ?? 1)
  if (number === '')
    throw new ConfigError(`config.containerOptions: ${option} wants a size such as 512m, found "${value}"`)
  return bytes
}

function cpusOf(value: string): number {
  const count = Number(value)
  if (!(count > 0)) throw new ConfigError(`config.containerOptions: --cpus wants a number, found "${value}"`)
  return Math.round(count * 1e9)
}

type Apply = (options: ContainerOptions, value: string, base: string) => void

const listed =
  (key: string): Apply =>
  ({ host }, value) => {
    const { [key]: known } = host
    host[key] = [...(Array.isArray(known) ? known : []), value]
  }

const setting =
  (part: 'container' | 'host', key: string, read: (value: string) => Json = (value) => value): Apply =>
  (options, value) => {
    options[part][key] = read(value)
  }

const OPTIONS: Readonly<Record<string, Apply>> = {
  '--cpus': setting('host', 'NanoCpus', cpusOf),
  '--memory': setting('host', 'Memory', (value) => bytesOf('--memory', value)),
  '--shm-size': setting('host', 'ShmSize', (value) => bytesOf('--shm-size', value)),
  '--user': setting('container', 'User'),
  '--hostname': setting('container', 'Hostname'),
  '--env': ({ env }, value) => void env.push(value),
  '--volume': ({ binds }, value, base) => void binds.push(bind(value, base)),
  '--add-host': listed('ExtraHosts'),
  '--dns': listed('Dns'),
  '--cap-add': listed('CapAdd'),
  '--cap-drop': listed('CapDrop')
}

// D636: gha: the Docker socket is passed only where `dockerSocket` names one
/** @param base directory of relative sources @throws ConfigError for an unsupported option */
export function containerOptions(text: string, base: string): ContainerOptions {
  const options: ContainerOptions = { container: {}, host: {}, env: [], binds: [] }
  const words = splitWords(text)
  for (let at = 0; at < words.length; at++) {
    const [written = '', ...rest] = (words[at] ?? '').split('=')
    const name = SHORT[written] ?? written
    const apply = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
    if (!apply)
      throw new ConfigError(
        `config.containerOptions: ${written} is not supported, wanted ${Object.keys(OPTIONS).join(', ')}`
      )
    const value = rest.length > 0 ? rest.join('=') : words[++at]
    if (value === undefined) throw new ConfigError(`config.containerOptions: the value of ${written} is missing`)
    apply(options, value, base)
  }
  return options
}
