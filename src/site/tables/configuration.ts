/** The table of docs/configuration.md, made of that of the settings. */
import { KEYS, rowOf } from '../../config/table.ts'

export const settingLines = (): string[] =>
  KEYS.map((key) => {
    const { env, envAlias, flag, standard, worked, later, help } = rowOf(key)
    const names = [env, envAlias].filter((name) => name !== undefined).map((name) => `\`ENGINE_${name}\``)
    const shown =
      standard === undefined || standard === ''
        ? (worked ?? '')
        : `\`${typeof standard === 'string' ? standard : JSON.stringify(standard)}\``
    const build = later ? '**not yet**: ' : ''
    const cells = [`\`${key}\``, names.join(', '), flag ? `\`--${flag}\`` : '', shown, build + help]
    return `| ${cells.join(' | ')} |`
  })

/** Whether a line of the page is one of that table. */
export const isSettingLine = (line: string): boolean => /^\| `[a-z]/.test(line) && line.split(' | ').length === 5

/** A page with the table as it is now. It may be in parts, below headings; a new setting goes where its number is. */
export function withSettings(page: string): string {
  const lines = page.split('\n')
  const last = lines.findLastIndex(isSettingLine)
  const rows = settingLines()
  return lines
    .flatMap((line, at) => {
      if (!isSettingLine(line)) return [line]
      return at === last ? rows : rows.splice(0, 1)
    })
    .join('\n')
}
