/** Short workflows for the soak: each step leaves a mark when it begins and when it ends. */
import { closeSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Soaked {
  selector: Record<string, string>
  ends: 'succeeded' | 'failed'
  steps(step: (name: string, seconds: number, code?: number | 'once') => object): object[]
}

export const SOAKED: Record<string, Soaked> = {
  one: { selector: { zone: 'a' }, ends: 'succeeded', steps: (step) => [step('last', 0)] },
  two: { selector: { zone: 'b' }, ends: 'succeeded', steps: (step) => [step('first', 0.1), step('last', 0)] },
  fails: { selector: { gpu: 'true' }, ends: 'failed', steps: (step) => [step('last', 0, 3)] },
  again: {
    selector: { zone: 'b' },
    ends: 'succeeded',
    steps: (step) => [{ ...step('last', 0, 'once'), retryPolicy: { limit: 2, intervalSec: 0 } }]
  },
  slow: { selector: {}, ends: 'succeeded', steps: (step) => [step('last', 1)] }
}

/** A run has ended when its last step has: one that ends as `once` the second time. */
const script = (marks: string) => `
id=$DAG_RUN_ID.$1 code=$3
echo "begin $id" >>${marks}
sleep $2
if [ $code = once ]; then
  code=4
  [ "$(grep -cx "begin $id" ${marks})" -gt 1 ] && code=0
fi
[ $1 = last ] && [ $code != 4 ] && echo "end $id" >>${marks}
exit $code
`

const marksIn = (shared: string) => join(shared, 'marks')

export function writeSoaked(home: string, shared: string): void {
  const file = join(shared, 'soak.sh')
  mkdirSync(join(home, 'dags'), { recursive: true })
  writeFileSync(file, script(marksIn(shared)))
  writeFileSync(marksIn(shared), '')
  for (const [name, { selector, steps }] of Object.entries(SOAKED)) {
    const step = (name: string, seconds: number, code: number | string = 0) => ({
      name,
      command: `sh ${file} ${name} ${seconds} ${code}`
    })
    // JSON is YAML
    writeFileSync(
      join(home, 'dags', `${name}.yaml`),
      JSON.stringify({ name, maxActiveRuns: -1, workerSelector: selector, steps: steps(step) })
    )
  }
}

export interface Marks {
  /** Begins of each `<run>.<step>`, and runs whose last step has ended; as far as they are written. */
  read(): { begins: Map<string, number>; ended: Set<string> }
}

/** Reads on where it was. */
export function openMarks(shared: string): Marks {
  const begins = new Map<string, number>()
  const ended = new Set<string>()
  const part = Buffer.alloc(1024 * 1024)
  let at = 0
  let rest = ''
  return {
    read() {
      const file = openSync(marksIn(shared), 'r')
      for (let count = -1; count !== 0; at += count) {
        count = readSync(file, part, 0, part.length, at)
        const lines = (rest + part.toString('utf8', 0, count)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const [what, id = ''] = line.split(' ')
          if (what === 'begin') begins.set(id, (begins.get(id) ?? 0) + 1)
          else ended.add(id.split('.')[0] ?? '')
        }
      }
      closeSync(file)
      return { begins, ended }
    }
  }
}
