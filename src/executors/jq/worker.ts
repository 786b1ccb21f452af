/** The thread of one jq filter. Only `jq.ts` starts it. Source: execution-semantics 10.7. */
import { parentPort } from 'node:worker_threads'
import { type JqResult as Answer, type Jq, loadJq } from 'jq-wasm'

export interface JqRequest {
  filter: string
  input: string
  raw: boolean
  memoryBytes: number
}
/** `stdout` has whole lines. */
export type JqResult = Answer

/** Makes `env` an empty object, because the library has a default one. On a separate line, so that columns in errors are right. */
const NO_ENV = 'def env: {}; {} as $ENV |\n'
const SAYS_ENV = /\benv\b|\$ENV\b/

/** Loading takes several times as long as most filters. A thread whose filter has crashed is not reused. */
let jq: Jq | undefined

const OPTIONS = { pretty: ['--indent', '4', '--'], compact: ['-c', '--'] }

async function answer({ filter, input, raw, memoryBytes }: JqRequest): Promise<JqResult> {
  memory.limit = memoryBytes
  jq ??= await loadJq()
  const covered = SAYS_ENV.test(filter)
  let result: Answer
  try {
    result = jq.raw(input, covered ? NO_ENV + filter : filter, raw ? OPTIONS.compact : OPTIONS.pretty)
  } catch (error) {
    throw memory.refused ? new Error(`needs more than ${memoryBytes / 1_048_576} MiB of memory`) : error
  }
  const { exitCode, stdout, stderr } = result
  return {
    exitCode,
    stdout: stdout && `${raw ? stdout.split('\n').map(unquoted).join('\n') : stdout}\n`,
    stderr: covered ? stderr.replace(/(<top-level>, line )(\d+)/g, (_, at, line) => at + (Number(line) - 1)) : stderr
  }
}

/** Compact results are one line each, so that strings with line breaks can be decoded; the raw mode of the library trims them. */
const unquoted = (line: string): string => (line.startsWith('"') ? JSON.parse(line) : line)

/** The used part of a global that is missing in the types of Node. */
interface Memory {
  buffer: ArrayBuffer
  grow(pages: number): number
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }

/** Resource limits of a thread do not cover the memory of WebAssembly. */
function capMemory(): { limit: number; size: number; refused: boolean } {
  const state = { limit: Number.POSITIVE_INFINITY, size: 0, refused: false }
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function (this: Memory, pages) {
    state.size = this.buffer.byteLength + pages * 65_536
    state.refused = state.size > state.limit
    if (state.refused) throw new RangeError('no more memory')
    return grow.call(this, pages)
  }
  return state
}

const memory = capMemory()

/** WebAssembly memory never shrinks, so a thread of this size is not kept. */
const LARGE_BYTES = 128 * 1_048_576

// An unhandled rejection ends the thread, which reports the error.
parentPort?.on('message', async (request: JqRequest) => {
  const result = await answer(request)
  parentPort?.postMessage({ result, spent: memory.size > LARGE_BYTES })
})
