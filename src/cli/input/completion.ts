/** `troupe completion`: a script for bash, zsh or fish that completes commands, flags, definitions and runs. Our addition. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import { openToRead } from '../owner/open-client.ts'
import type { Arguments, Command } from './command.ts'
import { type Completed, scripts } from './completion-scripts.ts'
import { settingsOf } from './flags.ts'
import { commonFlags } from './shared-flags.ts'

/** Asked by the scripts themselves. */
const NAMES = 'names'

/** @returns the exit code @throws TroupeError bad_request for another shell */
export async function complete(args: Arguments, context: CliContext, commands: readonly Command[]): Promise<number> {
  const { operand } = args
  const text = operand === NAMES ? await names(args, context) : scriptFor(operand, commands)
  if (!args.on.has('quiet')) context.out.write(text)
  return 0
}

async function names(args: Arguments, context: CliContext): Promise<string> {
  const client = await openToRead(context, settingsOf(args))
  try {
    return (await client.names()).map((name) => `${name}\n`).join('')
  } finally {
    await client.close()
  }
}

function scriptFor(shell: string, commands: readonly Command[]): string {
  const script = scripts[shell]
  if (script) return script([...commands.map(completed), HELP])
  const known = Object.keys(scripts)
  throw new TroupeError(
    'bad_request',
    `completion: wanted ${known.join(', ')}, found ${JSON.stringify(shell)}${didYouMean(shell, known)}`
  )
}

const HELP: Completed = {
  name: 'help',
  summary: 'show the help of a command',
  flags: [],
  takesName: false,
  takesFile: false
}

const completed = ({ name, summary, flags, operand }: Command): Completed => ({
  name,
  summary,
  flags: [...flags, ...commonFlags].map((flag) => `--${flag.name}`),
  takesName: /NAME|RUN/.test(operand ?? ''),
  takesFile: /FILE|DIR/.test(operand ?? '')
})
