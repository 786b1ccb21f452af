/** The help texts, generated from the table of commands. Source: api-semantics 11. */
import { wrapped } from '../view/text.ts'
import { usageOf } from './arguments.ts'
import type { Command, Flag } from './command.ts'
import { commands, type Task, tasks } from './commands.ts'
import { commonFlags } from './shared-flags.ts'

/** The page of one command, or the overview. @param room columns: longer lines of the tables are wrapped */
export const helpText = (command?: Command, room = Number.POSITIVE_INFINITY): string =>
  command ? page(command, room) : overview(room)

function overview(room: number): string {
  return `Troupe runs workflows.

Usage: troupe COMMAND [FILE|NAME] [flags]

${tasks.map((task) => taskText(task, room)).join('\n\n')}

Flags of every command:
${flagTable(commonFlags, room)}

FILE is a path. NAME is looked up in the definitions folder, with .yaml or .yml.
Exit codes: 0 the run succeeded, 1 it failed or was stopped, 130 it was interrupted.
`
}

const taskText = ({ name, commands: names, example }: Task, room: number): string =>
  `${name}, such as ${commands.find(({ name }) => name === example)?.example}\n${table(rowsOf(names), room)}`

const HELP = { name: 'help', summary: 'show this text, or that of one command: troupe help start' }
const WIDEST = Math.max(...commands.map(({ name }) => name.length))
/** Padded, so that all tasks have their summaries below each other. */
const rowsOf = (names: readonly string[]): [string, string][] =>
  [...commands, HELP]
    .filter(({ name }) => names.includes(name))
    .map(({ name, summary }) => [name.padEnd(WIDEST), summary])

function page(command: Command, room: number): string {
  const words = command.words ? 'Words after -- are params.\n' : ''
  return `${usageOf(command)}
${command.summary}

${flagTable([...command.flags, ...flagsOfAll(command)], room)}

${words}Example:
  ${command.example}
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
