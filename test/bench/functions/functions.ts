/**
 * `make bench-functions`: function steps a second, beside OpenWorkflow on SQLite, DBOS on PostgreSQL and BullMQ on Redis where they can be
 * had, and beside bare actors of XState, which store nothing. Each round is a process of its own, and they take turns. Not part of `make check`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT } from '../../support/project.ts'
import { median } from '../figures.ts'
import { type Figures, type Round, SHAPES } from './rounds.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const RIVALS = ['openworkflow@0.10.1', 'bullmq@6.7.0', 'ioredis@5', '@dbos-inc/dbos-sdk@5.3.0']
const HERE = join(PROJECT, 'test/bench/functions')

const own = process.env.BENCH_RIVALS === undefined
const folder = process.env.BENCH_RIVALS ?? mkdtempSync(join(tmpdir(), 'rivals-'))
if (!existsSync(join(folder, 'node_modules')))
  try {
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...RIVALS], {
      stdio: 'ignore'
    })
  } catch (error) {
    console.log(`without the others: npm cannot install them: ${error}`)
  }
const node = process.env.BENCH_NODE ?? process.execPath // OpenWorkflow needs Node 22
const elsewhere = (name: string, variable: string): [string, string, string[]][] => {
  const address = process.env[variable]
  if (address) return [[name, process.execPath, [join(HERE, `${name}.mjs`), folder, address]]]
  console.log(`without ${name}: ${variable} says where its database is`)
  return []
}
const commands: [name: string, program: string, argv: string[]][] = [
  ['troupe', process.execPath, [join(PROJECT, 'dist/test/bench/functions/troupe.js')]],
  ['XState without storage', process.execPath, [join(PROJECT, 'dist/test/bench/functions/xstate.js')]],
  ['openworkflow', node, [join(HERE, 'openworkflow.mjs'), folder]],
  ...elsewhere('dbos', 'POSTGRES_URL'),
  ...elsewhere('bullmq', 'REDIS_URL')
]

const found = new Map<string, Round[]>()
for (let round = 0; round < ROUNDS; round++)
  for (const [name, program, argv] of commands)
    try {
      const out = execFileSync(program, argv, { encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'] })
      found.set(name, [...(found.get(name) ?? []), JSON.parse(out.trim().split('\n').at(-1) ?? '')])
    } catch (error) {
      if (round === 0) console.log(`without ${name}: ${String(error).split('\n').slice(0, 8).join(' ').slice(0, 400)}`)
      if (name === 'troupe') throw error
    }
if (own) rmSync(folder, { recursive: true, force: true })

const of = (name: string, shape: keyof Round, member: keyof Figures) =>
  median((found.get(name) ?? []).map((round) => round[shape][member]))
console.log('\nfunction steps                          steps/s   CPU ms each   beside troupe')
for (const [key, { title }] of Object.entries(SHAPES)) {
  const shape = key as keyof Round
  for (const name of found.keys()) {
    const ratio = of('troupe', shape, 'perSecond') / of(name, shape, 'perSecond')
    console.log(
      `${`${title}, ${name}`.padEnd(38)} ${of(name, shape, 'perSecond').toFixed(0).padStart(8)} ${of(name, shape, 'cpuMs').toFixed(3).padStart(13)}   troupe is ${ratio.toFixed(2)} x`
    )
  }
}
