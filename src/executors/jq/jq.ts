/** `jq` steps: a filter over JSON, by jq itself (as WebAssembly) in a separate thread. Source: execution-semantics 10.7. */
import type { Clock } from '../../clock.ts'
import { packageProblem } from '../../definition/steps/needed-package.ts'
import { configValues } from '../frame/config-values.ts'
import type { Work } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { inThread } from '../frame/worker-thread.ts'
import type { JqRequest, JqResult } from './worker.ts'

const MAX_INPUT_BYTES = 32 * 1_048_576
/** Besides the time limit of the step: no reasonable filter takes longer. */
const LIMIT_MS = 300_000
const HEAP_MB = 512
/** An array of small objects needs 20 times the bytes of its text. */
const MEMORY_BYTES = 1_024 * 1_048_576

export interface JqLimits {
  ms: number
  memoryBytes: number
}

const LIMITS: JqLimits = { ms: LIMIT_MS, memoryBytes: MEMORY_BYTES }

// D604: jq keeps the program's exit codes
/** Resolves with jq's exit code. @throws Error when the filter cannot be run or exceeds a limit */
export async function jq({ execution, stdout, stderr, signal }: Work, clock: Clock, limits = LIMITS): Promise<number> {
  const lacking = packageProblem('jq')
  if (lacking !== undefined) throw new Error(lacking) // a run may be older than what is installed
  const { command: filter = '', script: input = '', config = {} } = execution
  if (!filter.trim()) throw new Error('jq executor requires a filter in "command", found none')
  if (!input.trim()) throw new Error('jq executor requires JSON in "script", found none')
  const size = Buffer.byteLength(input)
  if (size > MAX_INPUT_BYTES) throw new Error(`jq: the input has ${size} bytes, the limit is ${MAX_INPUT_BYTES}`)
  const data: JqRequest = {
    filter,
    input,
    raw: configValues(config).flag('raw') ?? false,
    memoryBytes: limits.memoryBytes
  }
  const module = new URL('./worker.js', import.meta.url)
  const work = { module, data, kept: true, signal, limitMs: limits.ms, heapMb: HEAP_MB }
  const result = await inThread<JqResult>(work, clock).catch((error: Error) => {
    throw signal.aborted ? error : new Error(`jq: ${error.message}`, { cause: error })
  })
  if (result.stdout) await write(stdout, result.stdout)
  if (result.stderr) await write(stderr, `${result.stderr}\n`)
  return result.exitCode
}
