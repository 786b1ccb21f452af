/** Flags that are settings. */
import type { Settings } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Arguments } from './command.ts'

/** Flags with the name of their group, and the settings that they are. */
const BY_FLAG = {
  'coordinator.host': 'coordinator.host',
  'coordinator.port': 'coordinator.port',
  'coordinator.advertise': 'coordinator.advertise',
  'worker.id': 'worker.id',
  'worker.labels': 'worker.labels',
  'worker.max-active-runs': 'worker.maxActiveRuns',
  'worker.coordinators': 'worker.coordinators',
  'peer.cert-file': 'peer.certFile',
  'peer.key-file': 'peer.keyFile',
  'peer.client-ca-file': 'peer.clientCaFile',
  'peer.insecure': 'peer.insecure',
  'peer.skip-tls-verify': 'peer.skipTlsVerify'
} as const

/** @throws TroupeError bad_request */
export function settingsOf({ text, on }: Arguments): Settings {
  const { home, config, host, port, dags } = text
  if (port !== undefined && !/^\d+$/.test(port))
    throw new TroupeError('bad_request', `--port: wanted a number, found ${JSON.stringify(port)}`)
  return {
    ...(home ? { home } : {}),
    ...(config ? { config } : {}),
    ...(host ? { host } : {}),
    ...(port ? { port: Number(port) } : {}),
    ...(dags ? { dagsDir: dags } : {}),
    ...groupsOf(text, on)
  }
}

function groupsOf(text: Arguments['text'], on: Arguments['on']): Pick<Settings, 'settings'> {
  const given = Object.entries(BY_FLAG).flatMap(([flag, key]) => {
    const value = text[flag] ?? (on.has(flag) ? true : undefined)
    return value === undefined ? [] : [[key, value] as const]
  })
  return given.length > 0 ? { settings: Object.fromEntries(given) } : {}
}

/** A flag whose value is a positive integer. @param most default: none @throws TroupeError bad_request */
export function positive({ text }: Arguments, flag: string, most?: number): number | undefined {
  const input = text[flag]
  if (input === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(input) && Number(input) <= (most ?? Number.POSITIVE_INFINITY)) return Number(input)
  const range = most === undefined ? 'from 1 on' : `from 1 to ${most}`
  throw new TroupeError('bad_request', `--${flag}: wanted a number ${range}, found ${JSON.stringify(input)}`)
}
