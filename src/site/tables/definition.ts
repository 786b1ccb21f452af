/** The parts of docs/definition-format.md that are made of the tables of the reader. */
import { LEVELS } from '../../definition/fields/fields.ts'
import { CONFIGS } from '../../definition/fields/fields-executor.ts'
import type { FieldRow, LevelTable } from '../../definition/fields/level.ts'

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

/** By the name of the mark in front of each. */
export const definitionParts = (): Map<string, string> =>
  new Map([
    ...Object.entries<LevelTable>(LEVELS).map(([level, table]) => [`fields:${level}`, tableText(table)] as const),
    ...Object.entries(CONFIGS).map(([type, table]) => [`config:${type}`, tableText(table)] as const)
  ])
