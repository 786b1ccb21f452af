/** What workers have to do: steps that leave marks outside every home, and number each line that they write. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A line that a step has left outside the homes, in the order in which they were written. */
export interface PlacedMark {
  what: 'begin' | 'end'
  dagRunId: string
  step: string
  /** The run whose slot it uses: its own, or that of the caller on the same worker. */
  holder: string
  /** The worker that runs it. */
  worker: string
  /** Of its process, which begins each of its lines. */
  pid: number
  /** Absent: it begins. */
  code?: number
}

/** Runs that a worker takes at a time. */
export const SLOTS = 3
/** Lines of a step that is to be stopped: four minutes of them, so that it does not end by itself on a slow machine. Fewer than a burst. */
const LONG = 4_800
/** From so many lines on, they are written at once. */
export const BURST = 5_000

/** Labels of the workers. */
export const LABELS: Record<string, Record<string, string>> = {
  wa: { zone: 'a' },
  wb: { zone: 'b' },
  wc: { zone: 'b', gpu: 'true' }
}

export type Ending = 'succeeded' | 'failed' | 'canceled'

export interface Placed {
  selector: Record<string, string>
  /** How each run of it must end, whatever is killed. */
  ends: Ending
  /** Exit codes of its steps where they are not 0, and how often each begins where that is not once. */
  codes?: Record<string, number>
  begins?: Record<string, number>
  definition: object | object[]
}

/** `echo` is a part of the shell: what is counted outside is at most one line behind what was written. */
const script = (marks: string, lines: string) => `
step=$1 lines=$2 code=$3 holder=\${4:-$DAG_RUN_ID}
self="$DAG_RUN_ID $step $holder \${HOME##*/} $$"
echo "begin $self" >>${marks}
if [ $lines -ge ${BURST} ]; then
  seq 1 $lines | sed "s/^/$$ /"
  seq 1 $lines | sed "s/^/$$ /" >>${lines}/$DAG_RUN_ID.$step
else
  n=0
  while [ $n -lt $lines ]; do
    n=$((n+1)); echo "$$ $n"; echo "$$ $n" >>${lines}/$DAG_RUN_ID.$step; sleep 0.05
  done
fi
if [ $code = once ]; then
  code=0
  [ "$(grep -c "begin $DAG_RUN_ID $step " ${marks})" -gt 1 ] || code=4
fi
echo "end $self $code" >>${marks}
exit $code
`

const marksIn = (shared: string) => join(shared, 'marks')
const linesIn = (shared: string) => join(shared, 'lines')
export const stepScript = (shared: string): string => join(shared, 'step.sh')

export function placedWorkload(shared: string): Record<string, Placed> {
  const step = (name: string, lines: string | number = 0, code: number | 'once' = 0, holder = '') => ({
    name,
    command: `sh ${stepScript(shared)} ${name} ${lines} ${code} ${holder}`
  })
  const gpu = { gpu: 'true' }
  const common = { maxActiveRuns: -1, params: 'P=0' }
  const called = { maxActiveRuns: -1, params: 'P=0 HOLDER=none' }
  return {
    plain: {
      selector: { zone: 'a' },
      ends: 'succeeded',
      definition: {
        steps: [
          step('a'),
          { name: 'says', command: 'echo "out of $DAG_RUN_ID"', output: 'OUT' },
          step('b', '${P}'),
          { name: 'hears', command: 'test "$OUT" = "out of $DAG_RUN_ID"' }
        ]
      }
    },
    mixed: {
      selector: gpu,
      ends: 'failed',
      codes: { odd: 3, fails: 1 },
      begins: { again: 2 },
      definition: {
        type: 'graph',
        steps: [
          { ...step('odd', '${P}', 3), continueOn: { exitCode: 3, markSuccess: true } },
          { ...step('again', 5, 'once'), retryPolicy: { limit: 2, intervalSec: 0 } },
          { ...step('fails', 3, 1), depends: ['odd', 'again'] }
        ],
        handlerOn: { exit: step('onExit', 2) }
      }
    },
    either: { selector: { zone: 'b' }, ends: 'succeeded', definition: { steps: [step('a', '${P}'), step('b', 3)] } },
    burst: { selector: { zone: 'a' }, ends: 'succeeded', definition: { steps: [step('a', 4 * BURST)] } },
    outer: {
      selector: { zone: 'a' },
      ends: 'succeeded',
      definition: [
        {
          type: 'graph',
          steps: [
            {
              name: 'same',
              call: 'inner',
              parallel: { items: ['x', 'y', 'z'], maxConcurrent: 2 },
              params: 'P=${P} HOLDER=${DAG_RUN_ID}'
            },
            { name: 'other', call: 'elsewhere', parallel: { items: [1, 2], maxConcurrent: 2 }, params: 'P=${P}' }
          ]
        },
        { name: 'inner', ...called, steps: [step('item', '${P}', 0, '${HOLDER}')] },
        { name: 'elsewhere', ...common, workerSelector: { zone: 'b' }, steps: [step('item', '${P}')] }
      ]
    },
    long: {
      selector: { zone: 'b' },
      ends: 'canceled',
      definition: { steps: [step('a', LONG)], handlerOn: { cancel: step('onCancel', 2) } }
    },
    'long-outer': {
      selector: { zone: 'a' },
      ends: 'canceled',
      definition: [
        {
          steps: [
            {
              name: 'calls',
              call: 'long-inner',
              parallel: { items: ['x', 'y'], maxConcurrent: 2 },
              params: 'HOLDER=${DAG_RUN_ID}'
            }
          ]
        },
        { name: 'long-inner', ...called, steps: [step('item', LONG, 0, '${HOLDER}')] }
      ]
    }
  }
}

/** @param home of the engine @param shared outside every home */
export function writePlaced(home: string, shared: string): void {
  for (const folder of [join(home, 'dags'), linesIn(shared)]) mkdirSync(folder, { recursive: true })
  writeFileSync(stepScript(shared), script(marksIn(shared), linesIn(shared)))
  writeFileSync(marksIn(shared), '')
  for (const [name, { selector, definition }] of Object.entries(placedWorkload(shared))) {
    const [first, ...others] = [definition].flat()
    const whole = { maxActiveRuns: -1, params: 'P=0', ...first, name, workerSelector: selector }
    const texts = [whole, ...others].map((one) => JSON.stringify(one)) // JSON is YAML
    writeFileSync(join(home, 'dags', `${name}.yaml`), texts.join('\n---\n'))
  }
}

export function placedMarks(shared: string): PlacedMark[] {
  return readFileSync(marksIn(shared), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [what, dagRunId = '', step = '', holder = '', worker = '', pid, code] = line.split(' ')
      return {
        what: what as PlacedMark['what'],
        dagRunId,
        step,
        holder,
        worker,
        pid: Number(pid), // the script writes no other
        ...(code === undefined ? {} : { code: Number(code) })
      }
    })
}

/** Lines that a step has written, by its own count: the last one that is in its log may be missing. */
export function countedLines(shared: string): Map<string, string[]> {
  const read = (name: string) =>
    readFileSync(join(linesIn(shared), name), 'utf8')
      .split('\n')
      .slice(0, -1)
  return new Map(readdirSync(linesIn(shared)).map((name) => [name, read(name)]))
}
