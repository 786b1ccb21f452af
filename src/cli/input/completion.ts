/** `troupe completion`: a script for bash, zsh or fish that completes commands, flags, definitions and runs. Our addition. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import { knownNames, runsOf } from '../owner/known-runs.ts'
import { openToRead } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'
import { oneLine } from '../view/text.ts'
import type { Arguments, Command, Flag } from './command.ts'
import { aliases } from './commands.ts'
import { type Completed, scripts, type Valued } from './completion-scripts.ts'
import { settingsOf } from './flags.ts'
import { flagsOfAll, topics } from './help.ts'
import { OPERANDS } from './operands.ts'
import { commonFlags } from './shared-flags.ts'

/** More would only be scrolled by. */
const NEWEST = 50
/** Characters of a file name. */
const LONGEST = 255

/** Asked by the scripts themselves: words, each on a line of its own. */
const ASKED: Partial<Record<string, (client: OpenClient) => Promise<string[]>>> = {
  names: ({ api }) => knownNames(api),
  runs: async ({ api }) => (await runsOf(api, {}, NEWEST)).map(({ dagRunId }) => dagRunId)
}

/** @returns the exit code @throws TroupeError bad_request for another shell */
export async function complete(args: Arguments, context: CliContext, commands: readonly Command[]): Promise<number> {
  const { operand } = args
  const ask = ASKED[operand]
  const text = ask ? await asked(args, context, ask) : scriptFor(operand, commands)
  if (!args.on.has('quiet')) context.out.write(text)
  return 0
}

async function asked(
  args: Arguments,
  context: CliContext,
  ask: (client: OpenClient) => Promise<string[]>
): Promise<string> {
  const client = await openToRead(context, settingsOf(args))
  try {
    return (await ask(client))
      .filter(isOffered)
      .map((word) => `${word}\n`)
      .join('')
  } finally {
    await client.close()
  }
}

// D1590: a candidate is a line that a terminal shows as it is, and no flag
const isOffered = (word: string): boolean =>
  word !== '' && word === oneLine(word) && !word.startsWith('-') && word.length <= LONGEST

function scriptFor(shell: string, commands: readonly Command[]): string {
  const script = scripts[shell]
  if (script)
    return script(
      [...commands.map(completed), ...commands.flatMap(aliasesOf), helpOf(commands)],
      valuedIn([...commands.flatMap(({ flags }) => flags), ...commonFlags])
    )
  const known = Object.keys(scripts)
  throw new TroupeError(
    'bad_request',
    `completion: wanted ${known.join(', ')}, found ${JSON.stringify(shell)}${didYouMean(shell, known)}`
  )
}

const helpOf = (commands: readonly Command[]): Completed => ({
  name: 'help',
  summary: 'show the help of a command',
  flags: [],
  takesName: false,
  takesRun: false,
  takesFile: false,
  words: [...commands.map(({ name }) => name), ...Object.keys(aliases), ...Object.keys(topics)]
})

const aliasesOf = (command: Command): Completed[] =>
  Object.entries(aliases).flatMap(([name, stands]) =>
    stands?.[0] === command.name
      ? [Object.assign(completed(command), { name, summary: `troupe ${stands.join(' ')}` })]
      : []
  )

function completed(command: Command): Completed {
  const { name, summary, flags, operand } = command
  return {
    name,
    summary,
    flags: [...flags, ...flagsOfAll(command)].map((flag) => `--${flag.name}`),
    takesName: /NAME|RUN/.test(operand ?? '') && operand !== 'create|revoke NAME',
    takesRun: /RUN/.test(operand ?? ''),
    takesFile: /FILE|DIR/.test(operand ?? ''),
    words: (operand && OPERANDS[operand].words) ?? []
  }
}

// D1322: completion asks where the line says
const PLACES = ['home', 'config', 'url', 'token-file']

/** A short flag may be another one in another command: only those that are the same in all are known. */
function valuedIn(flags: readonly Flag[]): Valued {
  const all = flags.filter(({ value }) => value !== undefined)
  const isSame = (short: string, name: string) => flags.every((flag) => flag.short !== short || flag.name === name)
  const wordsOf = (wanted: (flag: Flag) => boolean) => [
    ...new Set(
      all
        .filter(wanted)
        .flatMap(({ name, short, alias }) => [
          `--${name}`,
          ...(alias === undefined ? [] : [`--${alias}`]),
          ...(short !== undefined && isSame(short, name) ? [`-${short}`] : [])
        ])
    )
  ]
  const isRun = ({ name }: Flag) => /(^|-)run-id$/.test(name) && !name.startsWith('sub-')
  const isFile = ({ value = '' }: Flag) => value === 'FILE' || value === 'DIR'
  return {
    runs: wordsOf(isRun),
    files: wordsOf(isFile),
    others: wordsOf((flag) => !isRun(flag) && !isFile(flag)),
    places: wordsOf(({ name }) => PLACES.includes(name)),
    shorts: new Map(
      all.flatMap(({ name, short }) =>
        short !== undefined && isSame(short, name) ? [[`--${name}`, short] as const] : []
      )
    )
  }
}
