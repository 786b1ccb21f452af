/** The manual page of the command line: its tables are those of the program. UPDATE_GOLDEN=1 writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { readArguments, usageOf } from '../../src/cli/input/arguments.ts'
import type { Command, Flag } from '../../src/cli/input/command.ts'
import { commands } from '../../src/cli/input/commands.ts'
import { spelling } from '../../src/cli/input/help.ts'
import { commonFlags } from '../../src/cli/input/shared-flags.ts'

const page = new URL('../../../docs/cli.md', import.meta.url)
const text = readFileSync(page, 'utf8')
const SECTION = /<!-- (flags|commands|places) -->\n([\s\S]*?)<!-- end -->/g

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
const placeTable = `| command | on a home | with \`--url\` |\n| --- | --- | --- |\n${commands.map(placeRow).join('')}`

const sections = new Map([
  ['places', placeTable],
  ['flags', flagTable(commonFlags)],
  ['commands', commands.map(chapter).join('\n')]
])

describe('docs/cli.md', () => {
  it('has every command and every flag, as the program has them', () => {
    if (process.env.UPDATE_GOLDEN)
      writeFileSync(
        page,
        text.replace(SECTION, (_all, name: string) => `<!-- ${name} -->\n${sections.get(name)}<!-- end -->`)
      )
    else {
      const found = [...text.matchAll(SECTION)].map(([, name = '', table]) => [name, table] as const)
      expect(new Map(found), 'UPDATE_GOLDEN=1 writes them anew').to.deep.equal(sections)
    }
  })

  it('every example is a call that the program takes', async () => {
    for (const command of commands) {
      const [program, name, ...argv] = command.example.replace(/ > \S+$/, '').split(' ')
      expect([program, name]).to.deep.equal(['troupe', command.name])
      await readArguments(command, argv)
    }
  })
})
