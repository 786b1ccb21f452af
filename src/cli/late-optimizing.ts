/**
 * When V8 makes machine code of what is called often. A server calls the same few hundred functions from its first run on, so that
 * they all become due in its first second, and the threads that optimize them take the processors from the very steps that are
 * started then. What is still called a few seconds later is optimized as ever. Source: performance 6.
 */
import { setFlagsFromString } from 'node:v8'

/** V8 of Node 20. Later ones have a tier in between and other rules: nobody has measured there what this does. */
export const isKnownV8 = process.versions.v8.startsWith('11.3.')
/** Bytecode that a function runs before this V8 thinks about it. */
const USUAL = 66 * 1024
/** Later than this gains nothing more in the first second. */
const LATE = 6 * USUAL

const budget = (bytes: number) => setFlagsFromString(`--interrupt-budget=${bytes}`)

/** For a process that is about to serve: what it needs has been loaded. */
export function optimizeLate(): void {
  if (!isKnownV8) return
  budget(LATE)
  // V8 refuses compiled code that was kept under other flags than those at hand: whoever keeps it does so on the way out.
  process.prependOnceListener('exit', () => budget(USUAL))
}
