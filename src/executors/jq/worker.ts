/** The thread of one jq filter. Only `jq.ts` starts it. Source: execution-semantics 10.7. */
import { parentPort } from 'node:worker_threads'
import { type JqResult as Answer, type Jq, loadJq } from 'jq-wasm'

export interface JqRequest {
  filter: string
  input: string
  raw: boolean
  memoryBytes: number
}
/** `stdout` holds whole lines. */
export type JqResult = Answer

/** `env` is an empty object; the library would show one of its own. It has a line for itself, so that columns stay right. */
const NO_ENV = 'def env: {}; {} as $ENV |\n'
const SAYS_ENV = /\benv\b|\$ENV\b/

/** Loading takes several times as long as most filters. A thread in which one went wrong is not used again. */
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

/** A compact result is one line, so that a string is told from the lines within it; the library's own raw mode trims them. */
const unquoted = (line: string): string => (line.startsWith('"') ? (JSON.parse(line) as string) : line)

/** What is used of a global that the types of Node leave out. */
interface Memory {
  buffer: ArrayBuffer
  grow(pages: number): number
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }

/** Memory of WebAssembly is not part of a thread's resource limits. */
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

/** What a filter has grown stays grown: a thread of that size is not kept. */
const LARGE_BYTES = 128 * 1_048_576

// A rejection that nobody handles ends the thread, which is how an error is told.
parentPort?.on('message', async (request: JqRequest) => {
  const result = await answer(request)
  parentPort?.postMessage({ result, spent: memory.size > LARGE_BYTES })
})
