/**
 * Reads texts made to hold, crash or fool the reader, in a separate process: what they provoke may be an abort.
 * Prints a line of JSON for each: its name, what it cost, and its problems.
 */
import { readDefinition } from '../../../src/definition/read.ts'
import { matchesExpected } from '../../../src/definition/text/match.ts'

export interface Hostile {
  name: string
  /** Of the processor: other work on the machine does not count. */
  ms: number
  problems: string[]
}

const POISON = '{"__proto__": {"polluted": "yes"}}'

/** A place for a map at every level where a definition has one. */
export const POISONED: Record<string, string> = {
  document: '"__proto__": {"polluted": "yes"}',
  env: `env: ${POISON}`,
  'env of a list': `env: [${POISON}]`,
  params: `params: ${POISON}`,
  'params with a schema': `params: {schema: s, values: ${POISON}}`,
  'value of a param': `params: {A: ${POISON}}`,
  schedule: `schedule: ${POISON}`,
  handlerOn: `handlerOn: ${POISON}`,
  'a precondition': `preconditions: [${POISON}]`,
  'options of a secret': `secrets: [{name: A, provider: env, key: B, options: ${POISON}}]`,
  workerSelector: `workerSelector: ${POISON}`,
  registryAuths: `registryAuths: ${POISON}`,
  'credentials of a registry': `registryAuths: {a.io: ${POISON}}`,
  container: `container: ${POISON}`,
  'env of a container': `container: {image: i, env: ${POISON}}`,
  smtp: `smtp: ${POISON}`,
  ssh: `ssh: ${POISON}`,
  'resource of otel': `otel: {resource: ${POISON}}`,
  'headers of otel': `otel: {headers: ${POISON}}`,
  runConfig: `runConfig: ${POISON}`,
  maskEnv: `maskEnv: ${POISON}`,
  'a key that is ignored': `x-a: ${POISON}`,
  steps: 'steps: {"__proto__": {command: x}}',
  'a step': 'steps: [{command: x, "__proto__": {}}]',
  'env of a step': `steps: [{command: x, env: ${POISON}}]`,
  'params of a call': `steps: [{call: x, params: ${POISON}}]`,
  'an item of parallel': `steps: [{call: x, parallel: [${POISON}]}]`,
  executor: `steps: [{command: x, executor: ${POISON}}]`,
  'executor.config': `steps: [{command: ., executor: {type: jq, config: ${POISON}}}]`,
  'deep in executor.config': `steps: [{command: ., executor: {type: jq, config: {a: [{b: ${POISON}}]}}}]`,
  'an anchor': `x-a: &a ${POISON}\nenv: *a`,
  'a merge key': 'x-a: &a {"__proto__": 1}\nenv: {<<: *a}',
  'another document': `name: a\n---\nname: b\nenv: ${POISON}`
}

const bomb = (levels: number, place: string) =>
  `x-0: &a0 [${'lol,'.repeat(10)}]\n${Array.from({ length: levels }, (_, level) => `x-${level + 1}: &a${level + 1} [${`*a${level},`.repeat(10)}]\n`).join('')}${place.replace('*', `*a${levels}`)}`

export const BOMBS: Record<string, string> = {
  params: bomb(9, 'params: {A: *}'),
  'executor.config': bomb(9, 'steps: [{command: ., executor: {type: jq, config: {a: *}}}]'),
  'registryAuths, of maps': `x-0: &a0 {a: b}\n${Array.from({ length: 9 }, (_, n) => `x-${n + 1}: &a${n + 1} {${Array.from({ length: 10 }, (_, key) => `k${key}: *a${n}`).join(', ')}}\n`).join('')}registryAuths: *a9`,
  'steps, by merge keys': `x-0: &a0 {command: ${'x'.repeat(10_000)}}\nsteps: [${'{<<: *a0},'.repeat(101)}]`
}

const PATTERNS = [
  ...[
    '(a+)+$',
    '(a|aa)+$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    `${'a?'.repeat(200)}${'a'.repeat(200)}`
  ],
  ...['((a{100}){100}){100}', '(((a{30}){30}){30}){30}', '(a{1000}){1000}', `${'('.repeat(900)}a${')'.repeat(900)}`],
  ...[`(?:${'a|'.repeat(4000)}b)`, '[a-z'.repeat(2000), '\\pL{1000}', '(\\pL{1,100}){1,100}']
]

/** Every field that takes a regular expression. */
const PLACES: Record<string, (pattern: string) => string> = {
  'continueOn.output': (re) => `steps: [{command: x, continueOn: {output: [${re}]}}]`,
  'expected of a precondition': (re) => `preconditions: [{condition: x, expected: ${re}}]`,
  'expected of a repeatPolicy': (re) => `steps: [{command: x, repeatPolicy: {condition: x, expected: ${re}}}]`
}

const OTHERS: Record<string, string> = {
  '10,001 steps': `steps: [${'a,'.repeat(10_001)}]`,
  '10,001 steps in a map': `steps:\n${Array.from({ length: 10_001 }, (_, n) => `  s${n}: {command: a}\n`).join('')}`,
  'a cron expression of a mebibyte': `schedule: "${'0,'.repeat(500_000)} * * * *"`,
  'a list of 100,000 cron expressions': `schedule: [${'"* * * * x",'.repeat(80_000)}]`,
  'a duration of a mebibyte': `otel: {timeout: "${'1'.repeat(1_000_000)}s"}`,
  'a volume of a mebibyte': `container: {image: i, volumes: ["${'a:'.repeat(500_000)}"]}`,
  'a port of a mebibyte': `container: {image: i, ports: ["${'1-'.repeat(500_000)}"]}`,
  'a URL of a mebibyte': `steps: [{executor: http, command: "GET ${' a'.repeat(500_000)}"}]`,
  '100,000 secrets of one name': `secrets: [${'{name: A, provider: env, key: B},'.repeat(30_000)}]`,
  '1,000 documents of one name': 'name: a\n---\n'.repeat(999)
}

const spent = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function read(name: string, text: string): void {
  const before = process.cpuUsage()
  const { plan, problems } = readDefinition(text, { fallbackName: 'hostile' })
  if (plan) JSON.stringify(plan)
  const hostile: Hostile = { name, ms: spent(before), problems: problems.map(({ message }) => message) }
  console.log(JSON.stringify({ ...hostile, problems: hostile.problems.slice(0, 3) }))
}

type Cost = Pick<Hostile, 'ms' | 'problems'>

function search(pattern: string): Cost {
  const before = process.cpuUsage()
  const problems: string[] = []
  try {
    matchesExpected('a'.repeat(5000), `re:${pattern}`)
  } catch (cause) {
    problems.push(String(cause))
  }
  return { ms: spent(before), problems }
}

/** Reads all texts. */
function main(): void {
  for (let n = 0; n < 20; n++) readDefinition('name: warm\npreconditions: [{condition: a, expected: "re:a(b|c)+"}]')
  for (const [place, text] of Object.entries(POISONED)) read(`__proto__: ${place}`, text)
  for (const [place, text] of Object.entries(BOMBS)) read(`bomb: ${place}`, text)
  for (const [place, text] of Object.entries(PLACES)) {
    for (const pattern of PATTERNS) {
      read(`pattern: ${pattern.slice(0, 40)} as ${place}`, text(JSON.stringify(`re:${pattern}`)))
    }
  }
  for (const pattern of PATTERNS.filter((pattern) => !pattern.includes('pL'))) {
    // The better of two: the first one pays for compiling, and a core that is shared counts for more.
    const [{ ms, problems }] = [search(pattern), search(pattern)].sort((a, b) => a.ms - b.ms) as [Cost, Cost]
    console.log(JSON.stringify({ name: `search: ${pattern.slice(0, 40)}`, ms, problems }))
  }
  for (const [name, text] of Object.entries(OTHERS)) read(`other: ${name}`, text)
  const polluted = 'polluted' in {} || 'polluted' in []
  console.log(JSON.stringify({ name: 'prototypes are clean', ms: 0, problems: polluted ? ['polluted'] : [] }))
}

if (process.argv[1]?.endsWith('hostile.js')) main()
