/** `make fuzz-api`: REQUESTS (default 50,000) and SEED (default: of the moment); prints one line of JSON. Exit code 1: something was found. */
import { fuzz } from './fuzz.ts'
import { isPlant } from './planted.ts'

const DEFAULT_REQUESTS = 50_000
/** What is found after so many findings adds little. */
const MOST_FINDINGS = 20

const { REQUESTS = String(DEFAULT_REQUESTS), SEED = String(Date.now() % 2 ** 31), PLANT = '' } = process.env
const began = performance.now()
const report = await fuzz({
  requests: Number(REQUESTS),
  seed: Number(SEED),
  most: MOST_FINDINGS,
  plant: isPlant(PLANT) ? PLANT : undefined,
  progress: (done) => process.stderr.write(`${done} requests\n`)
})
process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round((performance.now() - began) / 1_000) })}\n`)
process.exitCode = report.findings.length > 0 ? 1 : 0
