/** Reads hostile texts: `node yaml-child.js SEED COUNT [PLANT]`. Prints a line of JSON for what was wrong, and one at the end. */
import { parse } from 'yaml'
import { readDefinition } from '../../../src/definition/read.ts'
import { processorMs } from '../../support/processor-time.ts'
import { seeded } from '../../support/random.ts'
import { hostileText } from './yaml-texts.ts'

export interface Wrong {
  promise: string
  what: string
}
export interface Report {
  read: number
  refused: number
  slowestMs: number
  grownMiB: number
  keptMiB: number
}

const [seed = '1', count = '100', plant] = process.argv.slice(2)
/** A text may take so long, of the processor: other work on the machine counts only as far as it makes the processor slower. */
const MOST_MS = 100
const MS_PER_KIB = 3
/** As many times as long as a long list of steps takes on this machine, where that is more. */
const TIMES_A_LIST = 2.5
const LIST = `steps:\n${'- a\n'.repeat(5_000)}`
/** What it still holds when all are read, and what the process has grown by at most: its heap, which is limited, and the rest. */
const MOST_KEPT_MIB = 32
const MOST_PEAK_MIB = 640
const MIB = 1024 ** 2

const wrong = (promise: string, what: string, text: string) =>
  console.log(JSON.stringify({ promise, what: `${what}: ${JSON.stringify(text.slice(0, 120))}` } satisfies Wrong))

const read: typeof readDefinition = (text, options) => {
  if (plant === 'hands a text to the parser unseen')
    try {
      parse(text)
    } catch {
      // It is the abort that counts.
    }
  if (plant === 'takes its time') {
    const before = process.cpuUsage()
    while (process.cpuUsage(before).user < 1_000_000) JSON.stringify(text)
  }
  if (plant === 'keeps memory for each text') kept.push(Buffer.alloc(MIB))
  const definition = readDefinition(text, options)
  return plant === 'refuses without a reason' ? { ...definition, problems: [] } : definition
}

const report: Report = { read: 0, refused: 0, slowestMs: 0, grownMiB: 0, keptMiB: 0 }
const random = seeded(Number(seed))
for (let n = 0; n < 30; n++) readDefinition('name: warm\nsteps: ["true"]')
const ofList = () => processorMs(() => readDefinition(LIST))
const msPerKiB = Math.max(MS_PER_KIB, (TIMES_A_LIST * Math.min(ofList(), ofList(), ofList())) / (LIST.length / 1024))
const grownMiB = () => Math.round((process.memoryUsage().rss - before) / MIB)
const held = () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
const heldBefore = held()
const kept: Buffer[] = []
const before = process.memoryUsage().rss
for (let n = 0; n < Number(count); n++) {
  const text = hostileText(random)
  const limit = MOST_MS + (msPerKiB * text.length) / 1024
  let definition: ReturnType<typeof readDefinition> | undefined
  const reading = () => {
    definition = read(text, { fallbackName: 'fuzz' })
  }
  try {
    let ms = processorMs(reading)
    // A collection of garbage is not the text's fault: once more, and the better one counts.
    for (let again = 0; ms > limit && again < 2; again++) ms = Math.min(ms, processorMs(reading))
    if (ms > limit) wrong('P19', `took ${Math.round(ms)} ms, ${Math.round(limit)} are allowed`, text)
    report.slowestMs = Math.max(report.slowestMs, Math.round(ms))
    if (!definition?.plan) report.refused++
    if (definition && !definition.plan && definition.problems.length === 0)
      wrong('P21', 'refused without a reason', text)
    if (definition?.plan) JSON.stringify(definition.plan)
  } catch (error) {
    wrong('P21', `the reader threw "${(error as Error).message}"`, text)
  }
  report.read++
  report.grownMiB = Math.max(report.grownMiB, grownMiB())
  if ('polluted' in {} || Object.keys(Object.prototype).length > 0)
    wrong('P19', 'the prototype of all objects was changed', text)
}
if (report.grownMiB > MOST_PEAK_MIB) wrong('P19', `the process grew by ${report.grownMiB} MiB`, '')
report.keptMiB = Math.max(0, Math.round((held() - heldBefore) / MIB))
if (report.keptMiB > MOST_KEPT_MIB)
  wrong('P19', `the process kept ${report.keptMiB} MiB, ${kept.length} of them planted`, '')
console.log(JSON.stringify(report))
