/**
 * When V8 makes machine code of what is called often. A server calls the same few hundred functions from its first run on, so that
 * they all become due in its first second, and the threads that optimize them take the processors from the very steps that are
 * started then. What is hot still is a few seconds later is optimized as ever. Source: performance 6.
 */
import { setFlagsFromString } from 'node:v8'

/** Bytecode that a function runs before V8 thinks about it; V8 has the same since 2021. */
const USUAL = 66 * 1024
/** Later than this gains nothing more in the first second. */
const LATE = 6 * USUAL

const budget = (bytes: number) => setFlagsFromString(`--interrupt-budget=${bytes}`)

/** For a process that is about to serve: what it needs has been loaded. */
export function optimizeLate(): void {
  budget(LATE)
  // V8 refuses compiled code that was kept under other flags than those at hand: whoever keeps it does so on the way out.
  process.prependOnceListener('exit', () => budget(USUAL))
}
