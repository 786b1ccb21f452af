/** A real engine whose callers have roles and rules: three definitions with a run each, and what each caller may do with them. Source: docs/authentication.md "Roles". */
import { join } from 'node:path'
import { operationList } from '../../../src/api/contract/operations.ts'
import type { RuleContent } from '../../../src/config.ts'
import type { Engine } from '../../../src/index.ts'
import type { Sent } from '../../api/client.ts'
import { liveApi } from './live-api.ts'

/** Stands in the text, the log and the outputs of `pay`, which most must not hear of. */
export const MARK = 'forty-two-per-head'

const TEXTS: Record<string, string> = {
  open: 'steps: [{name: say, command: echo open}]\n',
  etl: 'group: etl\ntags: [nightly]\nsteps: [{name: say, command: echo etl}]\n',
  pay: `tags: [secret]\nschedule: "0 3 * * *"\nsteps: [{name: say, command: echo ${MARK}, output: SUM}]\n`
}
export const DAGS = Object.keys(TEXTS)

export type Rank = 'none' | 'viewer' | 'runner' | 'editor' | 'admin'
const RANKS: Rank[] = ['none', 'viewer', 'runner', 'editor', 'admin']
export const isEnough = (has: Rank, needed: Rank) => RANKS.indexOf(has) >= RANKS.indexOf(needed)

/** By hand: the role on the server, then those with open, etl and pay. */
export const CALLERS: Record<string, { server: Rank; with: Record<string, Rank> }> = {
  viewer: { server: 'viewer', with: { open: 'viewer', etl: 'viewer', pay: 'none' } },
  runner: { server: 'runner', with: { open: 'runner', etl: 'runner', pay: 'none' } },
  editor: { server: 'editor', with: { open: 'viewer', etl: 'editor', pay: 'none' } },
  admin: { server: 'admin', with: { open: 'admin', etl: 'admin', pay: 'admin' } },
  payer: { server: 'viewer', with: { open: 'viewer', etl: 'viewer', pay: 'runner' } },
  etl: { server: 'none', with: { open: 'none', etl: 'editor', pay: 'none' } },
  nobody: { server: 'none', with: { open: 'none', etl: 'none', pay: 'none' } }
}

const both = (name: string) => [`token:${name}`, `caller:${name}`]
export const RULES = [
  { who: 'everyone', may: 'none', tags: ['Secret'] },
  { who: both('payer'), may: 'runner', tags: 'secret' },
  { who: both('editor'), may: 'viewer', dags: ['op*'] },
  { who: both('etl'), may: 'editor', groups: ['etl'] }
]

export const ROLES_AND_RULES = {
  'auth.tokens': Object.keys(CALLERS).map((name) => ({ name, value: `secret-${name}` })),
  'access.roles': Object.fromEntries(
    Object.entries(CALLERS).flatMap(([name, { server }]) => both(name).map((who) => [who, server]))
  ),
  'access.rules': RULES
}

/** Credentials of a caller. */
export const as = (name: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { Authorization: `Bearer secret-${name}`, ...sent.headers }
})

/** For the tests of a `describe`. */
export function accessScene() {
  const api = liveApi({ settings: ROLES_AND_RULES })
  const write = (name: string) => api.write(name, TEXTS[name] ?? '')
  before(async () => {
    for (const name of DAGS) {
      write(name)
      await api.engine.result(await api.engine.start({ fileName: name, dagRunId: `${name}-run` }))
    }
  })
  return { api, write, fileOf: (name: string) => join(api.engine.config.dagsDir, `${name}.yaml`) }
}

export interface Row {
  id: string
  method: string
  /** Below the base path, with parameters in braces. */
  path: string
  role: Rank
  of: 'path' | 'part' | 'body'
}

/** Every spelling of every operation, with what the contract says that it needs. */
export const rows: Row[] = operationList.flatMap(([id, { method, path, also = [], needs }]) =>
  [{ method, path }, ...also].map((way) => ({ ...way, id, role: needs.role, of: needs.of ?? ('path' as const) }))
)

/** A path about a definition, and its run. @param name of both, whether they are there or not */
export const pathFor = (path: string, name: string): string => {
  const values: Record<string, string> = {
    fileName: name,
    name,
    dagRunId: `${name}-run`,
    subDAGRunId: 'none',
    stepName: 'say',
    machineId: 'run',
    workerId: 'w',
    revision: '0123456789012345678901',
    targetName: 'ops',
    keyName: 'none'
  }
  const whole = path.replace(/\{(\w+)\}/g, (_found, parameter: string) => values[parameter] ?? '')
  const query: [RegExp, string][] = [
    [/\/events$/, 'follow=false'],
    [/\/preview$/, 'actor=run&event=run.stop'],
    [/\/diff$/, `with=${name}-run`],
    [/\/search$/, 'q=echo']
  ]
  const [, text] = query.find(([pattern]) => pattern.test(path)) ?? []
  return text === undefined ? whole : `${whole}?${text}`
}

/** Makes an API key for each caller that allows what their token does: the role, and the rules that are for them alone. @returns their texts */
export async function keysFor({ keys }: Pick<Engine, 'keys'>): Promise<Record<string, string>> {
  const made = Object.entries(CALLERS).map(async ([name, { server: role }]): Promise<[string, string]> => {
    const own = RULES.filter(({ who }) => who.includes(`token:${name}`))
    const rules = own.map(({ who: _, tags, ...rule }) => ({ ...rule, ...(tags ? { tags: [tags].flat() } : {}) }))
    return [name, (await keys.make({ name, role, rules: rules as RuleContent[], by: 'a test' })).text] // as RULES has them
  })
  return Object.fromEntries(await Promise.all(made))
}
