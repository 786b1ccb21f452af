/** The parts of docs/cli.md that are made of the commands and their flags. */
import { usageOf } from '../../cli/input/arguments.ts'
import type { Command, Flag } from '../../cli/input/command.ts'
import { commands } from '../../cli/input/commands.ts'
import { spelling } from '../../cli/input/help.ts'
import { commonFlags } from '../../cli/input/shared-flags.ts'

const flagRow = (flag: Flag) => {
  const alias = flag.alias ? ` (also \`--${flag.alias}\`)` : ''
  return `| \`${spelling(flag).trim()}\`${alias} | ${flag.help.replaceAll('|', '\\|')} |\n`
}
const flagTable = (flags: Flag[]) => `| flag | what it does |\n| --- | --- |\n${flags.map(flagRow).join('')}`
const chapter = (command: Command) => `### troupe ${command.name}

\`${usageOf(command)}\`: ${command.summary}.

\`\`\`sh
${command.example}
\`\`\`
${command.flags.length > 0 ? `\n${flagTable(command.flags)}` : ''}`

const placeRow = ({ name, elsewhere }: Command) =>
  `| \`${name}\` | yes | ${elsewhere === true ? 'yes' : `no: ${elsewhere}`} |\n`

/** By the name of the mark in front of each. */
export const cliParts = (): Map<string, string> =>
  new Map([
    ['places', `| command | on a home | with \`--url\` |\n| --- | --- | --- |\n${commands.map(placeRow).join('')}`],
    ['flags', flagTable(commonFlags)],
    ['commands', commands.map(chapter).join('\n')]
  ])
