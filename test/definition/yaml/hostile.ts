/**
 * Reads texts made to hold, crash or fool the reader, in a separate process: what they provoke may be an abort.
 * Prints a line of JSON for each: its name, its problems, and how its cost grows with its size.
 */
import { readDefinition } from '../../../src/definition/read.ts'
import { matchesExpected } from '../../../src/definition/text/match.ts'
import { growth } from '../../support/processor-time.ts'

export interface Hostile {
  name: string
  problems: string[]
  /** How many times as much ten times the text costs; absent where the size is given. */
  growth?: number
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
  '(a+)+$',
  '(a|aa)+$',
  '(a*)*b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  `${'a?'.repeat(200)}${'a'.repeat(200)}`,
  '((a{100}){100}){100}',
  '(((a{30}){30}){30}){30}',
  '(a{1000}){1000}',
  `${'('.repeat(900)}a${')'.repeat(900)}`,
  `(?:${'a|'.repeat(4000)}b)`,
  '[a-z'.repeat(2000),
  '\\pL{1000}',
  '(\\pL{1,100}){1,100}'
]

/** Every field that takes a regular expression. */
const PLACES: Record<string, (pattern: string) => string> = {
  'continueOn.output': (re) => `steps: [{command: x, continueOn: {output: [${re}]}}]`,
  'expected of a precondition': (re) => `preconditions: [{condition: x, expected: ${re}}]`,
  'expected of a repeatPolicy': (re) => `steps: [{command: x, repeatPolicy: {condition: x, expected: ${re}}}]`
}

/** Above this a collection of garbage costs more than the reading. */
const LARGE = 50_000

/** With the size at which each is refused. */
const OTHERS: Record<string, [(size: number) => string, number]> = {
  steps: [(size) => `steps: [${'a,'.repeat(size)}]`, 10_001],
  'steps in a map': [
    (size) => `steps:\n${Array.from({ length: size }, (_, n) => `  s${n}: {command: a}\n`).join('')}`,
    10_001
  ],
  'a cron expression': [(size) => `schedule: "${'0,'.repeat(size)} * * * *"`, 500_000],
  'cron expressions': [(size) => `schedule: [${'"* * * * x",'.repeat(size)}]`, 80_000],
  'a duration': [(size) => `otel: {timeout: "${'1'.repeat(size)}s"}`, 1_000_000],
  'a volume': [(size) => `container: {image: i, volumes: ["${'a:'.repeat(size)}"]}`, 500_000],
  'a port': [(size) => `container: {image: i, ports: ["${'1-'.repeat(size)}"]}`, 500_000],
  'a URL': [(size) => `steps: [{executor: http, command: "GET ${' a'.repeat(size)}"}]`, 500_000],
  'secrets of one name': [(size) => `secrets: [${'{name: A, provider: env, key: B},'.repeat(size)}]`, 30_000],
  'documents of one name': [(size) => 'name: a\n---\n'.repeat(size), 999]
}

function problemsOf(text: string): string[] {
  const { plan, problems } = readDefinition(text, { fallbackName: 'hostile' })
  if (plan) JSON.stringify(plan)
  return problems.map(({ message }) => message)
}
function tell(hostile: Hostile): void {
  console.log(JSON.stringify({ ...hostile, problems: hostile.problems.slice(0, 3) }))
}

function search(pattern: string, length: number): string[] {
  try {
    matchesExpected('a'.repeat(length), `re:${pattern}`)
    return []
  } catch (cause) {
    return [String(cause)]
  }
}

/** Reads all texts. */
async function main(): Promise<void> {
  const read = (name: string, text: string) => tell({ name, problems: problemsOf(text) })
  for (const [place, text] of Object.entries(POISONED)) read(`__proto__: ${place}`, text)
  for (const [place, text] of Object.entries(BOMBS)) read(`bomb: ${place}`, text)
  for (const [place, text] of Object.entries(PLACES)) {
    for (const pattern of PATTERNS) {
      read(`pattern: ${pattern.slice(0, 40)} as ${place}`, text(JSON.stringify(`re:${pattern}`)))
    }
  }
  for (const pattern of PATTERNS.filter((pattern) => !pattern.includes('pL'))) {
    const found = await growth((length) => search(pattern, length), 500)
    tell({ name: `search: ${pattern.slice(0, 40)}`, problems: search(pattern, 500), growth: found })
  }
  for (const [name, [text, size]] of Object.entries(OTHERS)) {
    const found = await growth((of) => problemsOf(text(Math.floor(of))), Math.min(size, LARGE) / 10)
    tell({ name: `other: ${name}`, problems: problemsOf(text(size)), growth: found })
  }
  const polluted = 'polluted' in {} || 'polluted' in []
  tell({ name: 'prototypes are clean', problems: polluted ? ['polluted'] : [] })
}

if (process.argv[1]?.endsWith('hostile.js')) await main()
