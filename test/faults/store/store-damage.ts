/** Homes with a write-ahead file that is torn, cut or flipped, or with records that are garbage. Source: reliability P7, P22. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { Random } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { openRunsOf, startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import type { Findings } from '../suite.ts'

const END_MS = 30_000

/** Those that have ended, that are open, and that are queued. */
const RUNS = { done: ['d1', 'd2', 'd3'], open: ['o1', 'o2', 'o3'], waits: ['w1', 'w2'] }
/** What a damaged record is: it may stop its own run, and nothing else. */
const RECORDS = ['runs', 'nodes', 'plans', 'journal', 'calls', 'attempts'] as const

/** Damages copies of one home in which runs have ended, are open and are queued. */
export async function damageAll(
  random: Random,
  rounds: number,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const whole = newHome()
  const first = await startEngine({ home: whole })
  const begin = async (name: string, dagRunId: string, steps: string, verb = '') => {
    const spec = `name: ${name}\n${verb ? 'queue: narrow\n' : ''}maxActiveRuns: -1\nsteps: [${steps}]`
    const { status, text } = await first.call('POST', `/dag-runs${verb}`, { spec, dagRunId })
    if (status !== 200) throw new Error(text)
  }
  const go = join(whole, 'go')
  for (const id of RUNS.done) await begin('done', id, '"true", "true"')
  for (const id of RUNS.open) await begin('open', id, `"while [ ! -e ${go} ]; do sleep 0.1; done", "true"`)
  for (const id of RUNS.waits) await begin('waits', id, `"while [ ! -e ${go} ]; do sleep 0.1; done"`, '/enqueue')
  await eventually(
    'the first to end',
    async () => ((await openRunsOf(first, ['done'])) === 0 ? true : undefined),
    END_MS
  )
  await first.kill()
  writeFileSync(go, '')
  await eventually('the steps to end', () => (stepProcesses(whole).length === 0 ? true : undefined), END_MS)
  for (let round = 0; round < rounds; round++) {
    const home = newHome()
    cpSync(whole, home, { recursive: true })
    const what = round % 3 === 0 ? damageWriteAhead(home, random) : await damageRecord(home, random)
    await looked(home, what, findings)
    counts.damaged = (counts.damaged ?? 0) + 1
    removeHome(home)
  }
  removeHome(whole)
}

async function looked(home: string, what: string, findings: Findings): Promise<void> {
  const engine = await startEngine({ home }).catch((error: Error) => {
    findings.add('P7', `${what}: ${error.message}`)
    return undefined
  })
  if (!engine) return
  try {
    for (const [name, ids] of Object.entries(RUNS)) {
      const { status, json, text } = await engine.call('GET', `/dag-runs/${name}`)
      findings.check(
        status === 200,
        'P7',
        `${what}: the list of ${name} was answered with ${status}: ${text.slice(0, 100)}`
      )
      const listed = (json?.dagRuns ?? []).map(({ dagRunId }: { dagRunId: string }) => dagRunId)
      const missing = ids.filter((id) => !listed.includes(id))
      findings.check(
        status !== 200 || missing.length === 0,
        'P7',
        `${what}: ${missing.join(', ')} of ${name} are not listed`
      )
    }
    await eventually(
      'the others to end',
      async () => ((await openRunsOf(engine, Object.keys(RUNS))) === 0 ? true : undefined),
      END_MS
    ).catch((error: Error) => findings.add('P7', `${what}: ${error.message}`))
  } catch (error) {
    findings.add('P22', `${what}: ${(error as Error).message} ${engine.gone ? await engine.ended : ''}`)
  }
  await engine.close()
}

/** Its end is what a death leaves: cut anywhere, with rubbish behind it, or with a bit flipped. */
function damageWriteAhead(home: string, random: Random): string {
  const path = join(home, 'data', 'write-ahead')
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const at = random.below(bytes.length + 1)
  const [what, damaged] = random.pick<[string, () => Buffer]>([
    [`write-ahead cut at ${at}`, () => bytes.subarray(0, at)],
    ['write-ahead followed by rubbish', () => Buffer.concat([bytes, Buffer.alloc(500, 0xa5)])],
    [
      `write-ahead with a length beyond its end`,
      () => Buffer.concat([Buffer.from([255, 255, 255, 127]), bytes.subarray(4)])
    ]
  ])
  writeFileSync(path, damaged())
  return what
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const other = Buffer.from(bytes)
  other[at] = (other[at] ?? 0) ^ (1 << bit)
  return other
}

/** One value of the store becomes another. */
async function damageRecord(home: string, random: Random): Promise<string> {
  mkdirSync(join(home, 'data'), { recursive: true })
  const root = open({ path: join(home, 'data', 'troupe.mdb'), maxDbs: 32, compression: false })
  const name = random.pick(RECORDS)
  const database = root.openDB({ name, encoding: 'binary' })
  const entries = Array.from(database.getRange())
  const entry = entries[random.below(entries.length)]
  let what = `nothing in ${name}`
  if (entry) {
    const value = Buffer.from(entry.value as Buffer)
    const at = random.below(value.length)
    const [how, damaged] = random.pick<[string, Buffer]>([
      ['empty', Buffer.alloc(0)],
      ['rubbish', Buffer.from('rubbish')],
      [`cut at ${at}`, value.subarray(0, at)],
      ['a number', Buffer.from([7])],
      [`a bit of byte ${at} flipped`, flipped(value, at, random.below(8))]
    ])
    await database.put(entry.key, damaged)
    what = `${name} ${JSON.stringify(entry.key)}: ${how}`
  }
  await root.close()
  return what
}
