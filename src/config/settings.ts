/** What flags and host applications give, under the names of options, as settings by key. */
import { guarded } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { KEYS, type Key } from './table.ts'

/** Settings that a flag or a host application may give; everything else has its default. */
export interface Settings {
  /** The folder that everything is kept in. Default: that of `ENGINE_HOME`, as docs/configuration.md says */
  home?: string
  /** Configuration file; it must exist. */
  config?: string
  dagsDir?: string
  logDir?: string
  dataDir?: string
  baseConfig?: string
  host?: string
  port?: number
  /** Time zone of schedules, such as `Europe/Berlin`. Default: that of the machine */
  tz?: string
  defaultShell?: string
  debug?: boolean
  logFormat?: 'text' | 'json'
  durability?: 'commit' | 'strict'
  shutdown?: 'leave' | 'stop'
  maxProcesses?: number
  allowUnauthenticated?: boolean
  /** Workers on other machines, and the coordinator that they find the engine through. */
  coordinator?: CoordinatorSettings
  /** Any other setting, by its key in docs/configuration.md, such as `'auth.token.value'`. */
  settings?: Readonly<Partial<Record<Key, unknown>>>
}

export interface CoordinatorSettings {
  enabled?: boolean | 'auto'
  host?: string
  port?: number
  advertise?: string
  cluster?: string
  /** Addresses of NATS servers of your own. */
  nats?: readonly string[]
}

const isSetting = (name: string): name is Key => KEYS.some((key) => key === name)

/** The settings of this name, or below it. */
export const settingsNamed = (name: string): readonly Key[] =>
  KEYS.filter((key) => key === name || key.startsWith(`${name}.`))

/** Options that are called otherwise than their settings. */
const RENAMED = {
  dagsDir: 'paths.dagsDir',
  logDir: 'paths.logDir',
  dataDir: 'paths.dataDir',
  baseConfig: 'paths.baseConfig'
} as const satisfies Partial<Record<keyof Settings, Key>>

const isRenamed = (option: string): option is keyof typeof RENAMED => Object.hasOwn(RENAMED, option)

// D1600: what cannot be read is named with the options of the host application
/** Settings in objects that can be read. */
export function readableSettings({ settings, coordinator, ...rest }: Settings): Settings {
  const copy = <T extends object>(of: T): Partial<T> => guarded(() => ({ ...of }), {})
  return {
    ...rest,
    ...(settings === undefined ? {} : { settings: copy(settings) }),
    ...(coordinator === undefined ? {} : { coordinator: copy(coordinator) })
  }
}

/** Values by key, and the options that gave them. */
export function byKey({ settings, coordinator, ...rest }: Settings): {
  configured: Partial<Record<Key, unknown>>
  options: Map<Key, string>
} {
  const configured: Partial<Record<Key, unknown>> = { ...settings }
  const options = new Map<Key, string>()
  const nested = Object.entries(coordinator ?? {}).map(([name, value]) => [`coordinator.${name}`, value] as const)
  for (const [option, value] of [...Object.entries(rest), ...nested]) {
    const key = isRenamed(option) ? RENAMED[option] : option
    if (value === undefined || !isSetting(key)) continue
    configured[key] = value
    options.set(key, option)
  }
  return { configured, options }
}

export const unknownSettings = ({ settings = {} }: Settings): string[] =>
  Object.keys(settings).flatMap((name) => {
    if (isSetting(name)) return []
    const near = nearest(name, KEYS)
    return [`settings: unknown setting ${name}${near === undefined ? '' : `; did you mean ${near}?`}`]
  })
