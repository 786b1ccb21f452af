/** Which secrets the masks in a stdout log stand for: a file beside it, names and positions only. Source: execution-semantics 14.4.8. */
import { readFile } from 'node:fs/promises'
import type { SecretMark } from '../../../machines/vocabulary.ts'
import { codeOf } from '../../errors.ts'

/** @param stdout path of the log */
export const marksPath = (stdout: string): string => `${stdout}${MARKS_SUFFIX}`
export const MARKS_SUFFIX = '.marks'

/** One mark as a line; `at` counts the bytes of the log. */
export const markLine = (mark: SecretMark): string => `${JSON.stringify(mark)}\n`

// D753: a captured output is stored masked, with marks
/** Marks of the log from a position on, counted from there. Half a line at the end was not written. */
export async function marksFrom(stdout: string, offset: number): Promise<SecretMark[]> {
  const text = await readFile(marksPath(stdout), 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as SecretMark)
    .filter(({ at }) => at >= offset)
    .map((mark) => ({ ...mark, at: mark.at - offset }))
}
