/** Flags that are settings. */
import type { Settings } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Arguments } from './command.ts'

/** @throws TroupeError bad_request */
export function settingsOf({ text: { home, config, host, port, dags } }: Arguments): Settings {
  if (port !== undefined && !/^\d+$/.test(port))
    throw new TroupeError('bad_request', `--port: wanted a number, found ${JSON.stringify(port)}`)
  return {
    ...(home ? { home } : {}),
    ...(config ? { config } : {}),
    ...(host ? { host } : {}),
    ...(port ? { port: Number(port) } : {}),
    ...(dags ? { dagsDir: dags } : {})
  }
}

/** A flag whose value is a positive integer. @throws TroupeError bad_request */
export function positive({ text }: Arguments, flag: string): number | undefined {
  const input = text[flag]
  if (input === undefined || /^[1-9]\d{0,14}$/.test(input)) return input === undefined ? undefined : Number(input)
  throw new TroupeError('bad_request', `--${flag}: wanted a number from 1 on, found ${JSON.stringify(input)}`)
}
