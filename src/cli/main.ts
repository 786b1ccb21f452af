/** The program `troupe`. Imports as little as it can: the rest is loaded by the command that needs it. Source: performance 5. */
import { dispatch } from './dispatch.ts'

// A reader that goes away (`troupe start x | head`) ends the output, not the run.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
// A log that cannot be written, as its disk is full or its terminal has gone, ends nothing.
process.stderr.on('error', () => {})

const surroundings = async () => (await import('./surroundings.ts')).surroundings()
// Whatever could not be closed in time must not keep the program; what was written has arrived, since writing is synchronous.
void dispatch(process.argv.slice(2), process.stdout, process.stderr, surroundings).then((code) => process.exit(code))
