/** The program `troupe`. Imports as little as it can: the rest is loaded by the command that needs it. Source: performance 5. */
import './program/no-debugger.ts'
import { dispatch } from './dispatch.ts'
import { openResults } from './results.ts'

const { stdout, stderr } = process
const { out, lost } = openResults(stdout)
// A log that cannot be written, as its disk is full or its terminal has gone, ends nothing.
stderr.on('error', () => {})

// LMDB prints each error that it throws, with its stack; the engine says so once, in words. Its codes are numbers, those of Node texts.
const print = console.error
console.error = (...what: unknown[]) => {
  if (typeof (what[0] as { code?: unknown } | undefined)?.code !== 'number') print(...what)
}

const surroundings = async () => (await import('./surroundings.ts')).surroundings(out)

/** Whatever could not be closed in time must not keep the program, but a reader of what was written gets it all. */
async function end(code: number): Promise<never> {
  const reason = await lost()
  if (reason) stderr.write(`Error: the output cannot be written: ${reason.message}\n`)
  process.exit(reason ? 1 : code)
}

void dispatch(process.argv.slice(2), out, stderr, surroundings).then(end)
