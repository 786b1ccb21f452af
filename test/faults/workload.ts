/** What the engines of the fault suites have to do: definitions whose steps leave a mark when they begin and when they end. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OnInterrupt } from '../../machines/vocabulary.ts'

/** A line that a step has written. */
export interface Mark {
  dagRunId: string
  step: string
  /** Its exit code to be; absent: it begins. */
  code?: number
}

/** How many of the queued runs may run at a time. */
export const WIDTH = 3
/** Steps that count as succeeded with another exit code than 0. */
export const ACCEPTED: Record<string, number> = { odd: 3 }

const marksPath = (home: string) => join(home, 'marks')

function marked(home: string, step: string, body = 'true', code = 0): string {
  const mark = (what: string) => `echo "$DAG_RUN_ID ${step} ${what}" >>${marksPath(home)}`
  return `${mark('begin')}; ${body}; ${mark(`end ${code}`)}; exit ${code}`
}

/** Fails the first time that a run executes it. */
const failsOnce = (home: string) =>
  `echo "$DAG_RUN_ID again begin" >>${marksPath(home)}; ` +
  `code=0; [ "$(grep -c "$DAG_RUN_ID again begin" ${marksPath(home)})" -gt 1 ] || code=4; ` +
  `echo "$DAG_RUN_ID again end $code" >>${marksPath(home)}; exit $code`

const definitions = (home: string) => ({
  plain: {
    maxActiveRuns: -1,
    params: 'P=0',
    steps: [
      { name: 'a', command: marked(home, 'a') },
      { name: 'b', command: marked(home, 'b', 'sleep ${P}'), output: 'OUT' },
      { name: 'c', command: 'sh', script: marked(home, 'c') }
    ]
  },
  mixed: {
    maxActiveRuns: -1,
    params: 'P=0',
    type: 'graph',
    steps: [
      { name: 'odd', command: marked(home, 'odd', 'sleep ${P}', 3), continueOn: { exitCode: 3, markSuccess: true } },
      { name: 'again', command: failsOnce(home), retryPolicy: { limit: 2, intervalSec: 0 } },
      { name: 'filter', executor: 'jq', command: '.a', script: '{"a": 1}' },
      { name: 'fails', depends: ['odd', 'again', 'filter'], command: marked(home, 'fails', 'sleep ${P}', 1) }
    ],
    handlerOn: { exit: { command: marked(home, 'onExit') } }
  },
  outer: {
    maxActiveRuns: -1,
    params: 'P=0',
    steps: [{ name: 'calls', call: 'inner', parallel: { items: ['x', 'y', 'z'], maxConcurrent: 2 }, params: 'P=${P}' }]
  },
  inner: { maxActiveRuns: -1, params: 'P=0', steps: [{ name: 'item', command: marked(home, 'item', 'sleep ${P}') }] },
  narrow: {
    queue: 'narrow',
    maxActiveRuns: WIDTH,
    params: 'P=0',
    steps: [{ name: 'a', command: marked(home, 'a', 'sleep ${P}') }]
  }
})

/** Definitions that are started, and one that is enqueued. */
export const STARTED = ['plain', 'mixed', 'outer'] as const
export const ENQUEUED = 'narrow'

export function writeDefinitions(home: string, onInterrupt: OnInterrupt): void {
  mkdirSync(join(home, 'dags'), { recursive: true })
  for (const [name, definition] of Object.entries(definitions(home)))
    writeFileSync(join(home, 'dags', `${name}.yaml`), JSON.stringify({ ...definition, onInterrupt })) // JSON is YAML
}

export function marksOf(home: string): Mark[] {
  let text: string
  try {
    text = readFileSync(marksPath(home), 'utf8')
  } catch {
    return []
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [dagRunId = '', step = '', , code] = line.split(' ')
      return { dagRunId, step, ...(code === undefined ? {} : { code: Number(code) }) }
    })
}
