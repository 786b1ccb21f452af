/** The help texts, written from the table of commands. Source: api-semantics 11. */
import { usageOf } from './arguments.ts'
import { type Command, commands, commonFlags, type Flag } from './commands.ts'

/** The page of one command, or the overview. */
export const helpText = (command?: Command): string => (command ? page(command) : overview())

function overview(): string {
  return `Troupe runs workflows.

Usage: troupe COMMAND [FILE|NAME] [flags]

${table(commands.map(({ name, summary }) => [name, summary]))}
  help       this text, or that of one command: troupe help start

Flags of every command:
${flagTable(commonFlags)}

FILE is a path; NAME is looked up in the definitions folder, with .yaml or .yml.
A run that succeeded exits 0, one that failed or was stopped 1, one that was interrupted 130.
`
}

function page(command: Command): string {
  const words = command.words
    ? '\nWords after -- are parameters: troupe start etl -- DAY=2026-03-01 NOTE="two words"\n'
    : ''
  return `${usageOf(command)}\n${command.summary}\n\n${flagTable([...command.flags, ...commonFlags])}\n${words}`
}

const flagTable = (flags: Flag[]): string =>
  table(flags.filter((flag) => !flag.later).map((flag) => [spelling(flag), flag.help]))

const spelling = ({ name, short, value }: Flag) =>
  `${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` ${value}`}`

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
