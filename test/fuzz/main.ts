/**
 * `make fuzz-api`: REQUESTS (default 50,000) and SEED (default: of the moment); prints one line of JSON. HEALTH_MS (default: 100): what the server may compute before it answers `/health` during
 * requests of hostile sizes, which follow. Exit code 1: something was found.
 */
import { fuzz } from './fuzz.ts'
import { isPlant } from './planted.ts'
import { slowRequests } from './slow.ts'

const DEFAULT_REQUESTS = 50_000
/** What is found after so many findings adds little. */
const MOST_FINDINGS = 20

/** What no request may hold up others for. */
const HEALTH_MS = 100

const { REQUESTS = String(DEFAULT_REQUESTS), SEED = String(Date.now() % 2 ** 31), PLANT = '' } = process.env
const plant = isPlant(PLANT) ? PLANT : undefined
const began = performance.now()
const report = await fuzz({
  requests: Number(REQUESTS),
  seed: Number(SEED),
  most: MOST_FINDINGS,
  plant,
  progress: (done) => process.stderr.write(`${done} requests\n`)
})
const sizes: Record<string, number> = {}
const slow = await slowRequests({
  boundMs: Number(process.env.HEALTH_MS ?? HEALTH_MS),
  ...(plant === undefined ? {} : { plant }),
  progress: (name, { healthMs }) => {
    sizes[name] = healthMs
    process.stderr.write(`${name}: /health came after ${healthMs} ms of computing\n`)
  }
})
process.stdout.write(
  `${JSON.stringify({ ...report, healthMs: Math.max(...Object.values(sizes)), slow, seconds: Math.round((performance.now() - began) / 1_000) })}\n`
)
process.exitCode = report.findings.length + slow.length > 0 ? 1 : 0
