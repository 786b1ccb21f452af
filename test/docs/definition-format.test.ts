/** The manual page of the definition format: its tables are those of the reader. UPDATE_GOLDEN=1 writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import type { FieldRow, LevelTable } from '../../src/definition/fields/field-forms.ts'
import { LEVELS } from '../../src/definition/fields/fields.ts'
import { CONFIGS, EXECUTORS } from '../../src/definition/fields/fields-executor.ts'
import { readDefinition } from '../../src/definition/read.ts'

const page = new URL('../../../docs/definition-format.md', import.meta.url)
const text = readFileSync(page, 'utf8')

const SECTION = /<!-- (fields|config):(\w+) -->\n([\s\S]*?)<!-- end -->/g

const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

function rowText({ name, form, about, example, default: otherwise, ...row }: FieldRow): string {
  const absent = row.required
    ? 'required'
    : (row.otherwise ?? (otherwise === undefined ? '' : code(JSON.stringify(otherwise))))
  return `| ${[`\`${name}\``, form.label, absent, about, code(example)].map(cell).join(' | ')} |\n`
}

const tableText = ({ rows }: LevelTable): string =>
  `| field | type | default | what it does | example |\n| --- | --- | --- | --- | --- |\n${rows
    .filter(({ elsewhere }) => elsewhere === undefined)
    .map(rowText)
    .join('')}`

const tables = new Map<string, string>([
  ...Object.entries<LevelTable>(LEVELS).map(([level, table]) => [`fields:${level}`, tableText(table)] as const),
  ...Object.entries(CONFIGS).map(([type, table]) => [`config:${type}`, tableText(table)] as const)
])

describe('docs/definition-format.md', () => {
  it('every field of every level is on it, as the reader has it', () => {
    const current = text.replace(
      SECTION,
      (_, kind: string, name: string) => `<!-- ${kind}:${name} -->\n${tables.get(`${kind}:${name}`)}<!-- end -->`
    )
    if (process.env.UPDATE_GOLDEN) writeFileSync(page, current)
    expect(readFileSync(page, 'utf8')).to.equal(current)
    const sections = Array.from(text.matchAll(SECTION), ([, kind, name]) => `${kind}:${name}`)
    expect(sections.toSorted()).to.deep.equal([...tables.keys()].toSorted())
  })

  it('every executor type and its other names are on it', () => {
    for (const [type, aliases] of Object.entries(EXECUTORS)) {
      const others = aliases.filter((alias) => alias !== '').map((alias) => `\`${alias}\``)
      expect(text).to.contain(`| \`${type}\` |${others.length > 0 ? ` ${others.join(', ')} ` : ' '}|`)
    }
  })

  it('the definition it shows is valid', () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    expect(readDefinition(yaml).problems).to.deep.equal([])
  })
})
