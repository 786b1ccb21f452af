/** `notify`: webhooks that are told of runs, each checked as a whole; every problem is named. Source: docs/notifications.md "Targets". */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NOTICES, type Notice } from '../../machines/policy/notices.ts'
import { codeOf } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { matcher } from '../platform/globs.ts'
import { isLoopbackName } from './access.ts'
import { LISTS, listsOf, textsOf } from './access-rules.ts'
import { addressIn } from './addresses.ts'
import { Secret } from './secret.ts'
import { boolean, duration, integer, isMap, type Type } from './types.ts'
import { userHome } from './user-home.ts'

export interface NotifySetting {
  /** The name in lists, metrics and messages. */
  name: string
  /** A credential may be in the URL. */
  url: Secret
  events: readonly Notice[]
  /** Patterns, as in `access.rules`; a run must match one of each list. Absent: all. */
  dags?: readonly string[]
  groups?: readonly string[]
  /** In lower case. */
  tags?: readonly string[]
  subRuns: boolean
  params: boolean
  /** Every secret signs; empty: nothing is signed. */
  secrets: readonly Secret[]
  headers: Readonly<Record<string, Secret>>
  timeoutMs: number
  maxAttempts: number
  giveUpAfterMs: number
}

const MEMBERS = [
  'name',
  'url',
  'events',
  ...LISTS,
  'subRuns',
  'params',
  'secret',
  'secretFile',
  'headers',
  'timeout',
  'maxAttempts',
  'giveUpAfter'
]
const NAME = /^[A-Za-z0-9_.-]{1,60}$/
// D1524: at most 50 targets
const MOST_TARGETS = 50
const LEAST_SECRET_BYTES = 16
const LONGEST_TIMEOUT_MS = 60_000
const DAY_MS = 86_400_000
/** Headers that belong to the request or its signature. */
const OWN_HEADERS = /^(content-.*|webhook-.*|host|connection|transfer-encoding|keep-alive|upgrade|te|trailer|expect)$/i

interface Said {
  problems: string[]
  warnings: string[]
}

// D1515: targets are settings of the server, not of a workflow
/** @param where prefix of sentences @param folder base of relative paths */
export function notifyOf(
  configured: readonly Record<string, unknown>[],
  { where, folder, ...said }: Said & { where: string; folder: string }
): NotifySetting[] {
  if (configured.length > MOST_TARGETS)
    said.problems.push(`${where}: wanted at most ${MOST_TARGETS} targets, found ${configured.length}`)
  const targets = configured.map((entry, at) => targetOf(entry, `${where}[${at}]`, folder, said))
  const names = targets.map((target) => target?.name)
  for (const name of new Set(names.filter((name, at) => name !== undefined && names.indexOf(name) < at)))
    said.problems.push(`${where}: wanted different names, found ${JSON.stringify(name)} twice: give each a name`)
  return targets.filter((target) => target !== undefined)
}

/** Undefined: invalid. */
function targetOf(
  entry: Record<string, unknown>,
  where: string,
  folder: string,
  { problems, warnings }: Said
): NotifySetting | undefined {
  const before = problems.length
  const wrong = (member: string, what: string) => void problems.push(`${where}.${member}: ${what}`)
  for (const member of Object.keys(entry))
    if (!MEMBERS.includes(member)) {
      const near = nearest(member, MEMBERS)
      problems.push(
        `${where}: unknown member ${member}${near ? `; did you mean ${near}?` : `, wanted ${MEMBERS.join(', ')}`}`
      )
    }
  const read = <T>(member: string, type: Type<T>, standard: T): T => {
    if (entry[member] === undefined || entry[member] === null) return standard
    const value = type.of(entry[member])
    if (value === undefined) wrong(member, `wanted ${type.wanted}, found ${JSON.stringify(entry[member])}`)
    return value ?? standard
  }
  const url = typeof entry.url === 'string' ? addressIn(entry.url) : undefined
  if (!url) wrong('url', 'wanted an http or https address such as https://example.com/hook, without user and fragment')
  const name = entry.name ?? url?.host.replace(/[^A-Za-z0-9_.-]/g, '-') ?? ''
  if (url && (typeof name !== 'string' || !NAME.test(name)))
    wrong('name', `wanted 1 to 60 of the characters A-Z a-z 0-9 _ . -, found ${JSON.stringify(name)}`)
  const lists = listsOf(entry, wrong)
  const timeoutMs = read('timeout', duration, 10_000)
  if (timeoutMs <= 0 || timeoutMs > LONGEST_TIMEOUT_MS)
    wrong('timeout', `wanted more than 0 and at most ${LONGEST_TIMEOUT_MS / 1_000}s`)
  const giveUpAfterMs = read('giveUpAfter', duration, DAY_MS)
  if (giveUpAfterMs <= 0 || giveUpAfterMs > 30 * DAY_MS) wrong('giveUpAfter', 'wanted more than 0 and at most 720h')
  const target = {
    name: String(name),
    url: new Secret(url?.href ?? ''),
    events: eventsOf(entry.events, wrong),
    ...lists,
    subRuns: read('subRuns', boolean, false),
    params: read('params', boolean, false),
    secrets: secretsOf(entry, folder, wrong),
    headers: headersOf(entry.headers, wrong),
    timeoutMs,
    giveUpAfterMs,
    maxAttempts: read('maxAttempts', integer(1, 1_000), 25)
  }
  if (!url || problems.length > before) return undefined
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    warnings.push(`${where}: what ${target.name} is told travels in clear text: use https`)
  if (target.secrets.length === 0)
    warnings.push(`${where}: without a secret ${target.name} cannot tell who a request is from`)
  return target
}

type Wrong = (member: string, what: string) => void

/** Events that a list of names and patterns stands for. */
function eventsOf(input: unknown, wrong: Wrong): Notice[] {
  const texts = textsOf(input)
  if (!texts) {
    wrong('events', `wanted a list of events such as [run.failed, step.*]; there are ${NOTICES.join(', ')}`)
    return []
  }
  for (const text of texts)
    if (!NOTICES.some(matcher([text]))) {
      const near = nearest(text, NOTICES)
      wrong(
        'events',
        `there is no event ${JSON.stringify(text)}${near ? `; did you mean ${near}?` : `, only ${NOTICES.join(', ')}`}`
      )
    }
  return NOTICES.filter(matcher(texts))
}

/** @param entry `secret`: one, or several; `secretFile`: a file with one */
function secretsOf({ secret, secretFile }: Record<string, unknown>, folder: string, wrong: Wrong): Secret[] {
  const texts = secret === undefined ? [] : textsOf(secret)
  if (!texts) wrong('secret', 'wanted a text, or a list of texts')
  const found = texts ?? []
  if (secretFile !== undefined) {
    if (typeof secretFile !== 'string' || secretFile === '') wrong('secretFile', 'wanted a path')
    else
      try {
        const path = resolve(folder, secretFile.replace(/^~(?=\/|$)/, userHome))
        found.push(readFileSync(path, 'utf8').trim())
      } catch (error) {
        wrong('secretFile', `it cannot be read: ${codeOf(error) ?? 'no such file'}`)
        return []
      }
  }
  for (const text of found) {
    const isEncoded = text.startsWith('whsec_')
    const encoded = text.slice('whsec_'.length)
    if (isEncoded && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) wrong('secret', 'wanted Base64 after whsec_')
    else if ((isEncoded ? Buffer.from(encoded, 'base64') : Buffer.from(text)).length < LEAST_SECRET_BYTES)
      wrong('secret', `wanted at least ${LEAST_SECRET_BYTES} bytes, found fewer`)
  }
  return found.map((text) => new Secret(text))
}

function headersOf(input: unknown, wrong: Wrong): Record<string, Secret> {
  if (input === undefined) return {}
  if (!isMap(input)) {
    wrong('headers', 'wanted a map of texts')
    return {}
  }
  const headers: Record<string, Secret> = {}
  for (const [name, value] of Object.entries(input))
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      wrong('headers', `wanted the name of a header, found ${JSON.stringify(name)}`)
    else if (OWN_HEADERS.test(name)) wrong(`headers.${name}`, 'the request has its own')
    else if (typeof value !== 'string' || !/^[\x20-\x7e\x80-\xff]*$/.test(value))
      wrong(`headers.${name}`, 'wanted a text of one line')
    else headers[name] = new Secret(value)
  return headers
}
