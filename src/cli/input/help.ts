/** The help texts, generated from the table of commands. Source: api-semantics 11. */
import { usageOf } from './arguments.ts'
import type { Command, Flag } from './command.ts'
import { commands, tasks } from './commands.ts'
import { commonFlags } from './shared-flags.ts'

/** The page of one command, or the overview. */
export const helpText = (command?: Command): string => (command ? page(command) : overview())

function overview(): string {
  return `Troupe runs workflows.

Usage: troupe COMMAND [FILE|NAME] [flags]

${tasks.map(([task, names]) => `${task}:\n${table(rowsOf(names))}`).join('\n\n')}

Flags of every command:
${flagTable(commonFlags)}

FILE is a path. NAME is looked up in the definitions folder, with .yaml or .yml.
Exit codes: 0 the run succeeded, 1 it failed or was stopped, 130 it was interrupted.
`
}

const HELP = { name: 'help', summary: 'show this text, or that of one command: troupe help start' }
const WIDEST = Math.max(...commands.map(({ name }) => name.length))
/** Padded, so that all tasks have their summaries below each other. */
const rowsOf = (names: readonly string[]): [string, string][] =>
  [...commands, HELP]
    .filter(({ name }) => names.includes(name))
    .map(({ name, summary }) => [name.padEnd(WIDEST), summary])

function page(command: Command): string {
  const words = command.words ? 'Words after -- are params.\n' : ''
  return `${usageOf(command)}
${command.summary}

${flagTable([...command.flags, ...commonFlags])}

${words}Example:
  ${command.example}
`
}

const flagTable = (flags: Flag[]): string => table(flags.map((flag) => [spelling(flag), flag.help]))

/** How a flag is written, such as `-r, --run-id ID`. */
export const spelling = ({ name, short, value }: Flag) =>
  `${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` ${value}`}`

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
