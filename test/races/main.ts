/**
 * `make race`: clients race for the same names and ids against a server in a separate process; see README.md. The last
 * line is the report as JSON. Environment: ROUNDS (20), SEED (random), CLIENTS (64), ONLY (names of scenarios with commas).
 */
import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { troupe } from '../bench/engines.ts'
import { leaveNothingBehind } from '../bench/leaving.ts'
import { startServer } from '../bench/server.ts'
import { clientsOf } from './client.ts'
import { race } from './race.ts'

const { ROUNDS = '20', SEED = String(randomInt(2 ** 31)), CLIENTS = '64', ONLY = '' } = process.env

leaveNothingBehind()
let folder = ''
const server = await startServer(troupe(), {}, async ({ home }) => {
  folder = join(home, 'marks')
  mkdirSync(folder)
  writeFileSync(join(home, 'config.yaml'), 'queues: {config: [{name: narrow, maxConcurrency: 1}]}\n')
})
const clients = clientsOf(server.port, Number(CLIENTS))
const began = performance.now()
try {
  const report = await race({
    clients,
    folder,
    width: Number(CLIENTS),
    rounds: Number(ROUNDS),
    seed: Number(SEED),
    ...(ONLY === '' ? {} : { only: ONLY.split(',') }),
    onRound: (round) => round % 10 === 1 && console.error(`round ${round} of ${ROUNDS}, SEED=${SEED}`)
  })
  for (const violation of report.violations) console.error(violation)
  const cpu = Number(server.tree.cpuSeconds().toFixed(1))
  const ms = Math.round(performance.now() - began)
  console.log(JSON.stringify({ race: report.violations.length === 0 ? 'passed' : 'failed', ms, cpu, ...report }))
  if (report.violations.length > 0) process.exitCode = 1
} finally {
  clients.close()
  server.end()
}
