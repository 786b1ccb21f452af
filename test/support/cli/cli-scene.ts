/** Commands of the command line in this process, on an engine that does what the test says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
// Loaded before the first test: it counts turns of the event loop, not files that are read.
import '../../../src/cli/commands/start.ts'
import '../../../src/cli/commands/status.ts'
import '../../../src/cli/commands/stop.ts'
import type { TroupeError } from '../../../src/errors.ts'
import { userName } from '../../../src/platform/user-name.ts'
import { temporaryFolder } from '../homes.ts'
import { fakeCliEngine, type Stage, stage } from './fake-cli-engine.ts'

/** What is said of a run that waits where nobody serves the queues. */
export const HELD = 'no server serves the queues of this home: the run waits until one does (troupe start-all)\n'

/** A home with the definitions `etl` and `other` in the working directory, and an engine. */
/** What every request of a command says of who made it. */
export const BY_USER = { via: 'cli', by: userName() } as const

export function scene(size?: { columns: number; rows: number }) {
  const home = temporaryFolder()
  for (const name of ['etl', 'other']) writeFileSync(join(home, `${name}.yaml`), `name: ${name}\nsteps:\n  - echo\n`)
  const engine = fakeCliEngine(home)
  return { home, engine, here: stage(home, engine, size) }
}

/** @returns the exit code of a command */
export async function command(name: string, context: Stage, ...argv: string[]): Promise<number> {
  const command = commands.find((command) => command.name === name)
  if (!command?.load) throw new Error(`no command ${name}`)
  const { run } = await command.load()
  return run(await readArguments(command, argv), context)
}

/** @returns why it is refused */
export const refusal = (name: string, context: Stage, ...argv: string[]) =>
  command(name, context, ...argv).then(
    (code) => `exit ${code}`,
    (error: TroupeError) => error.message
  )
