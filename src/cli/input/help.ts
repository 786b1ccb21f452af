/** The help texts, generated from the table of commands. Source: api-semantics 11; docs/cli.md. */
import { wrapped } from '../view/text.ts'
import { usageOf } from './arguments.ts'
import type { Command, Flag } from './command.ts'
import { aliases, commands, flagAliases, type Task, tasks } from './commands.ts'
import { commonFlags } from './shared-flags.ts'

/** The page of one command, or the overview. @param room columns: longer lines are wrapped */
export const helpText = (command?: Command, room = Number.POSITIVE_INFINITY): string =>
  command ? page(command, room) : overview(room)

/** What `troupe help` has a page for beside commands. */
export const topics: Readonly<Partial<Record<string, (room?: number) => string>>> = {
  all: (room = Number.POSITIVE_INFINITY) => `${tasks.map((task) => taskText(task, room)).join('\n\n')}\n`,
  flags: (room = Number.POSITIVE_INFINITY) => `Flags of every command:\n\n${flagTable(commonFlags, room)}\n`
}

function overview(room: number): string {
  const [first, ...others] = tasks
  return `Troupe runs workflows.

Usage: troupe COMMAND [FILE|NAME|RUN] [flags]

${first ? table(rowsOf(first.commands), room) : ''}

More: troupe help all has a line for each, troupe help COMMAND all about one.
${table(
  others.map(({ name, commands }) => [name.padEnd(WIDEST), commands.join(', ')]),
  room
)}

${lines(`Also written: ${[...Object.entries(aliases), ...Object.entries(flagAliases)].map(aliasText).join(', ')}`, room)}
${lines(flagsLine(commonFlags), room)}

${lines('FILE is a path. NAME is looked up in the definitions folder, with .yaml or .yml.', room)}
${lines(RUN, room)}
${lines('Exit codes: 0 the run succeeded, 1 it failed or was stopped, 130 it was interrupted.', room)}
`
}

const RUN =
  'RUN is NAME for its newest run, NAME:ID, NAME:latest, or an id: whole, or six characters or more of its beginning or end.'
const aliasText = ([written, stands]: [string, string | readonly string[] | undefined]) =>
  `${written} (${typeof stands === 'string' ? stands : stands?.join(' ')})`
const flagsLine = (flags: readonly Flag[]) =>
  `Flags of every command, see troupe help flags: ${flags.map(({ name }) => `--${name}`).join(', ')}`
const lines = (text: string, room: number) => wrapped(text, room).join('\n')

const taskText = ({ name, commands: names, example }: Task, room: number): string =>
  `${name}, such as ${commands.find(({ name }) => name === example)?.example}\n${table(rowsOf(names), room)}`

const HELP = { name: 'help', summary: 'show this text, or that of one command: troupe help start' }
const WIDEST = Math.max(...commands.map(({ name }) => name.length))
/** Padded, so that all tasks have their summaries below each other. */
const rowsOf = (names: readonly string[]): [string, string][] =>
  names.flatMap((name) => {
    const found = name === HELP.name ? HELP : commands.find((command) => command.name === name)
    return found ? [[name.padEnd(WIDEST), sentence(found.summary)] as [string, string]] : []
  })

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function page(command: Command, room: number): string {
  const { name, summary, flags, words, operand = '', example } = command
  const written = Object.keys(aliases).filter((alias) => aliases[alias]?.[0] === name)
  return `Usage: ${usageOf(command)}

${lines(`${sentence(summary)}.`, room)}

${[
  ...(flags.length > 0 ? [`${flagTable(flags, room)}\n`] : []),
  lines(flagsLine(flagsOfAll(command)), room),
  ...(/RUN/.test(operand) ? [lines(RUN, room)] : []),
  ...(words ? ['Words after -- are params.'] : []),
  ...written.map((alias) => `Also written: ${aliasText([alias, aliases[alias]])}`)
].join('\n')}

Example:
  ${example}
`
}

const flagTable = (flags: Flag[], room: number): string =>
  table(
    flags.map((flag) => [spelling(flag), flag.help]),
    room
  )

/** Without those that the command refuses, and those that it has a meaning of its own for. */
export const flagsOfAll = ({ elsewhere, flags }: Command): Flag[] =>
  commonFlags.filter(
    ({ name }) =>
      (elsewhere === true || (name !== 'url' && name !== 'token-file')) && !flags.some((own) => own.name === name)
  )

/** How a flag is written, such as `-r, --run-id ID`. */
export const spelling = ({ name, short, value }: Flag) =>
  `${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` ${value}`}`

/** Less room than this for the right side is not worth a line. */
const NARROW = 20

function table(rows: [string, string][], room: number): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  const rest = room - width - 4
  return rows
    .flatMap(([left, right]) => {
      const [first = '', ...more] = rest < NARROW ? [right] : wrapped(right, rest)
      return [`  ${left.padEnd(width)}  ${first}`, ...more.map((line) => `${' '.repeat(width + 4)}${line}`)]
    })
    .join('\n')
}
