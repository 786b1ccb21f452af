/** The program `troupe`. Imports as little as it can: the rest is loaded by the command that needs it. Source: performance 5. */
import './program/no-debugger.ts'
import { dispatch } from './dispatch.ts'
import { openResults } from './results.ts'

const { stdout, stderr } = process
const { out, lost } = openResults(stdout)
// A log that cannot be written (full disk, closed terminal) must not end the program.
stderr.on('error', () => {})

// LMDB prints each error that it throws, with its stack; the engine reports it once. LMDB's codes are numbers, Node's are strings.
const print = console.error
console.error = (...what: unknown[]) => {
  const { code }: { code?: unknown } = Object(what[0])
  if (typeof code !== 'number') print(...what)
}

const context = async () => (await import('./context.ts')).context()

/** What could not be closed in time must not keep the program alive, but everything written is delivered first. */
async function end(code: number): Promise<never> {
  const reason = await lost()
  if (reason) stderr.write(`Error: the output cannot be written: ${reason.message}\n`)
  process.exit(reason ? 1 : code)
}

void dispatch(process.argv.slice(2), out, stderr, context).then(end)
