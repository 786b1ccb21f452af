/** `fault-store`: commits cut off by kill -9; a write-ahead file that is torn, cut or flipped; records that are garbage. Source: reliability T5, P5, P7. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { open } from 'lmdb'
import { commit } from '../../src/store/commit.ts'
import { openStore } from '../../src/store/open.ts'
import { entriesIn } from '../../src/store/write-ahead.ts'
import { type Random, seeded } from '../support/random.ts'
import { eventually } from '../support/waiting.ts'
import { lengthOf } from './chain.ts'
import { type EngineProcess, startEngine, stepProcesses } from './engine-process.ts'
import { newHome, removeHome } from './home.ts'
import { Findings, type Suite } from './suite.ts'

const child = fileURLToPath(new URL('./store-child.js', import.meta.url))
/** One round of so many damages a home of an engine; the others kill in the middle of commits. */
const DAMAGED = 4
const END_MS = 30_000
const PLANT = 'tells of a commit that is not written'

export const store: Suite = {
  name: 'fault-store',
  promises: ['P1', 'P5', 'P7', 'P22'],
  small: 6,
  full: 200,
  plants: { [PLANT]: 2 },
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = { kills: 0, committed: 0, damaged: 0 }
    const damages = plant ? 0 : Math.ceil(size / DAMAGED)
    await torture(random, size - damages, plant, findings, counts)
    if (damages > 0) await damageAll(random, damages, findings, counts)
    return { rounds: size, counts, found: findings.found }
  }
}

async function torture(
  random: Random,
  cycles: number,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const home = newHome()
  const dataDir = join(home, 'data')
  let length = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    const told = await killedInCommits(dataDir, length + 1, random, plant)
    const opened = openStore(dataDir)
    // As an engine does when it takes over.
    const left = entriesIn(join(dataDir, 'write-ahead'))
    if (left.length > 0) await commit(opened, left, { again: true })
    const found = lengthOf(opened)
    await opened.root.close()
    findings.check(found.length >= told, 'P1', `${told} were told to be committed, ${found.length} are there`)
    findings.check(
      found.broken === undefined,
      'P5',
      `record ${found.broken} of ${found.length} is missing, torn or of another time`
    )
    counts.kills = (counts.kills ?? 0) + 1
    counts.committed = found.length
    length = found.length
  }
  removeHome(home)
}

/** @returns the highest number that was told */
async function killedInCommits(
  dataDir: string,
  from: number,
  random: Random,
  plant: string | undefined
): Promise<number> {
  const writer = spawn(process.execPath, [child, dataDir, String(from), ...(plant ? [plant] : [])], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let out = ''
  let first = () => {}
  const begun = new Promise<void>((resolve) => {
    first = resolve
  })
  writer.stdout.on('data', (bytes) => {
    out += bytes
    first()
  })
  const ended = once(writer, 'close')
  await Promise.race([begun, ended])
  await new Promise((resolve) => setTimeout(resolve, random.below(200)))
  writer.kill('SIGKILL')
  await ended
  return Math.max(0, ...out.split('\n').slice(0, -1).map(Number))
}

const NAMES = ['done', 'open', 'waits'] as const
/** What a damaged record is: it may stop its own run, and nothing else. */
const RECORDS = ['runs', 'nodes', 'plans', 'journal', 'calls', 'attempts'] as const

/** Damages copies of one home in which runs have ended, are open and are queued. */
async function damageAll(
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
  for (const id of ['d1', 'd2', 'd3']) await begin('done', id, '"true", "true"')
  for (const id of ['o1', 'o2', 'o3']) await begin('open', id, `"while [ ! -e ${go} ]; do sleep 0.1; done", "true"`)
  for (const id of ['w1', 'w2']) await begin('waits', id, `"while [ ! -e ${go} ]; do sleep 0.1; done"`, '/enqueue')
  await eventually('the first to end', async () => ((await openOf(first, 'done')) === 0 ? true : undefined), END_MS)
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
    for (const [name, ids] of Object.entries({
      done: ['d1', 'd2', 'd3'],
      open: ['o1', 'o2', 'o3'],
      waits: ['w1', 'w2']
    })) {
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
      async () => {
        const open = await Promise.all(NAMES.map((name) => openOf(engine, name)))
        return open.every((count) => count === 0) || undefined
      },
      END_MS
    ).catch((error: Error) => findings.add('P7', `${what}: ${error.message}`))
  } catch (error) {
    findings.add('P22', `${what}: ${(error as Error).message} ${engine.gone ? await engine.ended : ''}`)
  }
  await engine.close()
}

async function openOf(engine: EngineProcess, name: string): Promise<number> {
  const { json } = await engine.call('GET', `/dag-runs/${name}`)
  return (json?.dagRuns ?? []).filter(({ finishedAt }: { finishedAt: string }) => !finishedAt).length
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
      ['a number', Buffer.from([7])]
    ])
    await database.put(entry.key, damaged)
    what = `${name} ${JSON.stringify(entry.key)}: ${how}`
  }
  await root.close()
  return what
}
