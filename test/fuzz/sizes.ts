/** Requests of a hostile size: within every limit as far as that is known beforehand, and each made to take long. Source: reliability P17, R3. */
import type { Credentials } from './requests.ts'

export interface LargeRequest {
  name: string
  credentials: Credentials
  method: string
  /** Below where its version of the API begins. */
  path: string
  version?: 'v1' | 'v2'
  body?: object | string
  /** How often at the same time. Default: once. */
  times?: number
  /** What its answer may be; default: anything below 500. */
  status?: number
}

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('')
const hello = 'steps:\n  - echo hi\n'

/** Definition texts by what there is too much of. */
export const TEXTS: Readonly<Record<string, string>> = {
  'schedules that never fire': `schedule:\n${'- 0 0 30 2 *\n'.repeat(60_000)}${hello}`,
  'schedules that differ': `schedule:\n${lines(5_000, (at) => `- ${at % 60} ${at % 24} ${(at % 28) + 1} * *\n`)}${hello}`,
  'schedules with time zones': `schedule:\n${lines(3_000, (at) => `- "TZ=Europe/Berlin ${at % 60} ${at % 24} * * *"\n`)}${hello}`,
  'schedules, as many as may be': `schedule:\n${lines(100, (at) => `- "TZ=Europe/Berlin ${at % 60} ${at % 23} 29 2 *"\n`)}${hello}`,
  'schedules of many documents': lines(900, (at) => `---\nname: d${at}\nschedule: [${'"0 0 29 2 *",'.repeat(50)}]\n`),
  'steps in a chain': `steps:\n${lines(9_000, (at) => `  - name: s${at}\n    command: echo ${at} and a few words more\n`)}`,
  'steps of one letter': `steps:\n${'- a\n'.repeat(10_000)}`,
  'steps in one line': `steps: [${'a,'.repeat(250_000)}]\n`,
  'steps that depend on all before': `type: graph\nsteps:\n${lines(400, (at) => `  - name: s${at}\n    command: "true"\n    depends: [${lines(at, (on) => `s${on},`)}]\n`)}`,
  secrets: `secrets:\n${lines(20_000, (at) => `- {name: S${at}, provider: env, key: K}\n`)}${hello}`,
  'env, each of the one before': `env:\n${lines(20_000, (at) => `  - E${at}: \${E${at - 1}}x\n`)}${hello}`,
  'params as words': `params: "${'A=1 '.repeat(200_000)}"\n${hello}`,
  'params as a map': `params:\n${lines(40_000, (at) => `  - P${at}: x\n`)}${hello}`,
  'params of a step': `steps:\n  - call: other\n    params: "${'A=1 '.repeat(200_000)}"\n`,
  'params of a step as JSON': `steps:\n  - call: other\n    params: '["${'A=1 '.repeat(200_000)}"]'\n`,
  documents: lines(900, (at) => `---\nname: d${at}\n${hello}`),
  'unknown keys': `${lines(50_000, (at) => `k${at}: x\n`)}${hello}`,
  tags: `tags: "${'a,'.repeat(400_000)}"\n${hello}`,
  'levels of nesting': `x-a: ${'['.repeat(300_000)}\n`,
  aliases: `x-a: &a [${'x,'.repeat(5_000)}]\nx-b: [${'*a,'.repeat(90)}]\n${hello}`,
  'mistakes in every line': ': - [\n'.repeat(150_000),
  'one long script': `steps:\n  - script: |\n${'      echo hi\n'.repeat(70_000)}`,
  'one long word': `steps:\n  - ${'x'.repeat(1_000_000)}\n`,
  preconditions: `preconditions:\n${lines(20_000, (at) => `  - condition: "\${A${at}}"\n    expected: "re:(a+)+$"\n`)}${hello}`
}
const chain = TEXTS['steps in a chain'] ?? ''
/** Such a run ends at once, after all that a start does. */
const UNMET = 'preconditions: [{condition: a, expected: b}]\n'

/** Bodies that are no object that anybody wants. */
const BODIES: Readonly<Record<string, string>> = {
  'a list of numbers': `{"a":[${'1,'.repeat(1_000_000)}1]}`,
  members: `{${lines(180_000, (at) => `"k${at}":1,`)}"k":1}`,
  objects: `{"a":[${'{},'.repeat(600_000)}{}]}`,
  blanks: `{${' '.repeat(2_000_000)}}`,
  escapes: `{"spec":"${'\\n'.repeat(1_000_000)}"}`,
  'levels of nesting': `{"a":${'['.repeat(1_000_000)}`
}

const NEW_FILE = 'large'

/** In this order: what is made by one is looked at by those after it. @param schema a file that never answers, if there is one */
export function largeRequests(schema: string): LargeRequest[] {
  const reader = { credentials: 'read', method: 'GET' } as const
  const writer = { credentials: 'all', method: 'POST' } as const
  const validate = { credentials: 'read', method: 'POST', path: '/dags/validate' } as const
  const run = '/dag-runs/wide/wide-1'
  return [
    ...Object.entries(TEXTS).map(([name, spec]) => ({
      ...validate,
      name: `validate: ${name}`,
      status: 200,
      body: { spec }
    })),
    { ...validate, name: 'validate: nine at once', status: 200, times: 9, body: { spec: chain } },
    ...['read', 'all'].map((credentials) => ({
      ...validate,
      credentials: credentials as Credentials,
      name: `validate: a schema, asked for by ${credentials}`,
      status: 200,
      body: { spec: `params: {schema: ${schema}, values: {A: 1}}\n${hello}` }
    })),
    ...Object.entries(BODIES).map(([name, body]) => ({ ...validate, name: `body: ${name}`, body })),
    { ...writer, name: 'create', path: '/dags', status: 201, body: { name: NEW_FILE, spec: chain } },
    { ...reader, name: 'the definition', path: `/dags/${NEW_FILE}`, status: 200 },
    { ...reader, name: 'its text', path: `/dags/${NEW_FILE}/spec`, status: 200 },
    { ...reader, name: 'the list', path: '/dags?sort=nextRun', status: 200 },
    { ...reader, name: 'a search', path: '/dags/search?q=.', status: 200 },
    {
      ...reader,
      name: 'a search by a slow pattern',
      path: `/dags/search?q=${encodeURIComponent('(a|b|[^x]+)+$')}`,
      status: 200
    },
    {
      ...writer,
      name: 'replace',
      method: 'PUT',
      path: `/dags/${NEW_FILE}/spec`,
      status: 200,
      body: { spec: `${chain}# again\n` }
    },
    {
      ...writer,
      name: 'v1: save',
      version: 'v1',
      path: `/dags/${NEW_FILE}`,
      status: 200,
      body: { action: 'save', value: chain }
    },
    { ...reader, name: 'v1: the definition', version: 'v1', path: `/dags/${NEW_FILE}?tab=spec`, status: 200 },
    { ...reader, name: 'v1: the list', version: 'v1', path: '/dags', status: 200 },
    { ...reader, name: 'v1: a search', version: 'v1', path: '/search?q=echo', status: 200 },
    {
      ...writer,
      name: 'start: params',
      path: '/dags/hello/start',
      body: { params: 'A=1 '.repeat(16_000), dryRun: true },
      status: 400
    },
    {
      ...writer,
      name: 'start: a text that is wrong',
      path: '/dag-runs',
      status: 400,
      body: { spec: TEXTS['unknown keys'] ?? '' }
    },
    ...['', '/enqueue'].map((way) => ({
      ...writer,
      name: `start: a text of 9,000 steps${way}`,
      path: `/dag-runs${way}`,
      status: 200,
      body: { name: 'long', spec: `${UNMET}${chain}# start${way}\n` }
    })),
    {
      ...writer,
      name: 'replace by one that can be started',
      method: 'PUT',
      path: `/dags/${NEW_FILE}/spec`,
      status: 200,
      body: { spec: `${UNMET}${chain}` }
    },
    { ...writer, name: 'start: a definition of 9,000 steps', path: `/dags/${NEW_FILE}/start`, status: 200, body: {} },
    { ...reader, name: 'a run of 9,000 steps', path: `/dag-runs/${NEW_FILE}/latest`, status: 200 },
    { ...reader, name: 'a run of 2,000 steps', path: run, status: 200 },
    { ...reader, name: 'its actors', path: `${run}/actors`, status: 200 },
    { ...reader, name: 'its statechart', path: `${run}/statechart`, status: 200 },
    { ...reader, name: 'its journal', path: `${run}/journal`, status: 200 },
    { ...reader, name: 'its reasons', path: `${run}/explain`, status: 200 },
    { ...reader, name: 'its sequence', path: `${run}/sequence`, status: 200 },
    { ...reader, name: 'its text', path: `${run}/spec`, status: 200 },
    { ...reader, name: 'its outputs', path: `${run}/outputs`, status: 200 },
    { ...reader, name: 'the runs of its DAG', path: '/dags/wide/dag-runs', status: 200 },
    { ...reader, name: 'its definition', path: '/dags/wide', status: 200 }
  ]
}

/** A definition whose runs have many steps. */
export const WIDE = `type: graph\n${UNMET}steps:\n${lines(2_000, (at) => `  - name: s${at}\n    command: echo ${at}\n`)}`
