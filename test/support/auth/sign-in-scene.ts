/** A server with sign-in at a real provider of OpenID Connect. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../../src/api/app.ts'
import type { Audit } from '../../../src/audit/audit.ts'
import { type Clock, systemClock } from '../../../src/clock.ts'
import { readConfig, type Settings } from '../../../src/config.ts'
import { fakeEngine, planOf } from '../engine/fake-engine.ts'
import { temporaryFolder } from '../homes.ts'
import { type browser, identityProvider, openServer } from './identity-provider.ts'

export const CLIENT = { clientId: 'troupe', clientSecret: 'a secret: with/odd+letters' }

/** A server with sign-in at a provider, for the tests of a `describe`. */
export function signInScene(
  settings: Settings['settings'] = {},
  options: { posts?: boolean; secure?: boolean; backChannel?: boolean; audit?: Audit } = {}
) {
  let shift = 0
  const alarms = new Map<() => void, number>()
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + shift,
    at(dueAt, ring) {
      alarms.set(ring, dueAt)
      return () => void alarms.delete(ring)
    }
  }
  const faults: string[] = []
  const home = temporaryFolder()
  mkdirSync(join(home, 'data'))
  const parts = {
    address: '',
    issuer: '',
    signed: (_claims?: object, _header?: object): string => '',
    restart() {},
    close: async () => {}
  }
  before(async () => {
    const { audit, ...known } = options
    const troupe = await openServer()
    const base = String(settings.basePath ?? '')
    const provider = await identityProvider({ ...CLIENT, ...known, clientUrl: troupe.address + base })
    const config = readConfig(
      {
        home,
        tz: 'UTC',
        settings: {
          'auth.oidc.clientId': CLIENT.clientId,
          'auth.oidc.clientSecret': CLIENT.clientSecret,
          'auth.oidc.clientUrl': troupe.address + base,
          'auth.oidc.issuer': provider.issuer,
          ...settings
        }
      },
      {}
    )
    const engine = { ...fakeEngine(config, { hello: planOf('hello') }), ...(audit ? { audit } : {}) }
    const log = (message: string, cause: unknown) => void faults.push(`${message}: ${String(cause)}`)
    let answer = createApp(engine, { clock, log }).callback()
    troupe.answerWith((request, response) => void answer(request, response))
    Object.assign(parts, {
      address: troupe.address,
      issuer: provider.issuer,
      signed: provider.signed,
      /** All that the server keeps in memory is gone. */
      restart() {
        answer = createApp(engine, { clock, log }).callback()
      },
      async close() {
        troupe.server.closeAllConnections()
        await new Promise((resolve) => troupe.server.close(resolve))
        await provider.close()
      }
    })
  })
  after(() => parts.close())
  afterEach(() => {
    shift = 0
  })
  const at = (path: string) => parts.address + path
  return {
    at,
    faults,
    home,
    signed: (claims?: object, header?: object) => parts.signed(claims, header),
    restart: () => parts.restart(),
    issuer: () => parts.issuer,
    later(ms: number) {
      shift = ms
      for (const [ring, dueAt] of alarms) if (dueAt <= clock.now()) ring()
    },
    alarms,
    login: (query = '') => at(`${settings.basePath ?? ''}/oidc-login${query}`),
    dags: () => at(`${settings.basePath ?? ''}/api/v2/dags`)
  }
}

export const sessionOf = (visitor: ReturnType<typeof browser>) => visitor.jar.find(({ name }) => name === 'oidcToken')
