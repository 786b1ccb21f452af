/** Texts that a reader of definitions should be afraid of: made from a seed, without end. Source: reliability T7, P19. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../../support/project.ts'
import type { Random } from '../../support/random.ts'

const EXAMPLES = join(PROJECT, 'fixtures', 'examples')
const examples = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(join(EXAMPLES, name), 'utf8'))

const OPENERS = [
  '[',
  '{',
  '{a: ',
  '[{',
  '- ',
  '? ',
  ': ',
  '? - ',
  'a: ',
  '"a": ',
  '&a [',
  '!!seq [',
  '!t {',
  '*a : ',
  '- - ',
  '[? ',
  '{? ['
]
const CLOSERS = ['', ']', '}', '\n', ' }]', 'x']
const FIELDS = [
  'name',
  'steps',
  'params',
  'env',
  'schedule',
  'type',
  'preconditions',
  'handlerOn',
  'secrets',
  'container',
  'queue',
  'command',
  'script',
  'depends',
  'retryPolicy',
  'repeatPolicy',
  'continueOn',
  'executor',
  'parallel',
  'call',
  'output',
  'timeoutSec',
  'maxActiveRuns',
  'smtp',
  'ssh',
  'otel',
  'tags',
  'workerSelector',
  'runConfig',
  'x-a',
  '<<',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  '0',
  'null',
  'true',
  '~',
  '.inf'
]
const SCALARS = [
  '',
  '~',
  'null',
  'true',
  'yes',
  '0',
  '-1',
  '1e999',
  '.nan',
  '-.inf',
  '0x10',
  '0o17',
  '1_000',
  '99999999999999999999',
  '2001-01-01',
  '* * * * *',
  '"@every 1s"',
  '"re:(a+)+$"',
  '`id`',
  '$X',
  '${X:-${Y}}',
  '${',
  '"\\ud800"',
  '"\\0"',
  '\u202eabc',
  '!!binary aGk=',
  '!!js/function "x"',
  '!!set {a}',
  '!!omap [a: b]',
  '!custom x',
  '!<tag:x> y',
  '*a',
  '&a b',
  '|\n x',
  '>-\n  y'
]
const HEADS = [
  '',
  '',
  '',
  '%YAML 1.1\n---\n',
  '%YAML 9.9\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '---\n',
  '...\n',
  '\uFEFF',
  '#\n',
  '\t',
  '\r\n'
]

const repeat = (random: Random, most: number) => 1 + random.below(most)

function deep(random: Random): string {
  const openers = Array.from({ length: repeat(random, 3) }, () => random.pick(OPENERS))
  const times = repeat(random, random.chance(0.2) ? 30_000 : 400)
  const close = random.pick(CLOSERS).repeat(random.chance(0.5) ? times : 0)
  const indented = random.chance(0.3)
  const lines = Array.from({ length: times }, (_, level) =>
    indented
      ? `${' '.repeat(level % 1_000)}${openers[level % openers.length]?.trim()}\n`
      : openers[level % openers.length]
  )
  return lines.join('').slice(0, 200_000) + close
}

function aliases(random: Random): string {
  const width = repeat(random, 12)
  const levels = repeat(random, 12)
  const merge = random.chance(0.3)
  const lines = Array.from({ length: levels }, (_, level) => {
    const before = level === 0 ? 'x' : `*a${random.below(level)}`
    if (merge) return `x-${level}: &a${level} {${level === 0 ? 'k: v' : `<<: [${`${before},`.repeat(width)}]`}}`
    return `x-${level}: &a${level} [${`${before},`.repeat(width)}]`
  })
  const place = random.pick([
    'params: {A: *}',
    'env: *',
    'steps: *',
    'steps: [{command: *}]',
    'steps: [{<<: *}]',
    'x-z: *',
    '*: b'
  ])
  const cycle = random.chance(0.2) ? '\nx-c: &c [*c]\n' : ''
  return `${lines.join('\n')}\n${place.replace('*', `*a${levels - 1}`)}${cycle}`
}

function large(random: Random): string {
  const size = repeat(random, random.chance(0.1) ? 1_200_000 : 60_000)
  const word = random.pick([
    'x',
    'a: b\n',
    '- a\n',
    'é',
    ' ',
    '\n',
    '#',
    "''",
    '"a",',
    '- {command: "true"}\n',
    'k: ',
    '\\',
    '---\n',
    '\t'
  ])
  const text = word.repeat(Math.ceil(size / word.length)).slice(0, size)
  return random.pick([
    (inner: string) => inner,
    (inner: string) => `name: "${inner}"`,
    (inner: string) => `steps: [${inner}]`,
    (inner: string) => `steps:\n${inner}`
  ])(text)
}

function value(random: Random, depth: number): string {
  if (depth <= 0 || random.chance(0.5)) return random.pick(SCALARS).replaceAll('\n', ' ')
  const members = Array.from({ length: random.below(5) }, () => value(random, depth - 1))
  if (random.chance(0.5)) return `[${members.join(', ')}]`
  return `{${members.map((member) => `${JSON.stringify(random.pick(FIELDS))}: ${member}`).join(', ')}}`
}

const typed = (random: Random): string =>
  Array.from({ length: repeat(random, 6) }, () => `${random.pick(FIELDS)}: ${value(random, 5)}`).join('\n')

function mutated(random: Random): string {
  let text = random.pick(examples)
  for (let times = repeat(random, 6); times > 0; times--) {
    const at = random.below(text.length + 1)
    const end = Math.min(text.length, at + repeat(random, 40))
    const piece = text.slice(at, end)
    text = random.pick([
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, end) + piece + text.slice(end),
      () => text.slice(0, at) + random.pick([...SCALARS, ...OPENERS, ...HEADS, ' ', '\n']) + text.slice(at),
      () => text.slice(0, at) + piece.toUpperCase() + text.slice(end),
      () => text.slice(0, at) + String.fromCharCode(random.below(0x3000)) + text.slice(at + 1),
      () => text.slice(0, at)
    ])()
  }
  return text
}

/** One text. */
export function hostileText(random: Random): string {
  const make = random.pick([deep, deep, aliases, large, typed, typed, mutated, mutated, mutated])
  const text = random.pick(HEADS) + make(random)
  return random.chance(0.1) ? text.replaceAll('\n', '\r\n') : text
}

/** The same in bytes that may be no UTF-8. */
export function hostileBytes(random: Random): Buffer {
  const text = hostileText(random)
  if (random.chance(0.6)) return Buffer.from(text)
  if (random.chance(0.3)) return Buffer.from(text, 'utf16le')
  const bytes = Buffer.from(text)
  for (let times = 0; times < 5 && bytes.length > 0; times++)
    bytes[random.below(bytes.length)] = 128 + random.below(128)
  return bytes
}
