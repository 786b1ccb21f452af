/** A question to the person at the terminal. */
import type { CliContext } from '../context.ts'
import { visibleLine } from '../view/text.ts'

/** Undefined: there is no terminal. @param without what no answer but Enter means */
export async function isAgreed(
  question: string,
  { err }: Pick<CliContext, 'err'>,
  without = false
): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !err.isTTY) return undefined
  const { createInterface } = await import('node:readline/promises')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = (await asking.question(`${visibleLine(question)}`)).trim()
    return answer === '' ? without : /^y(es)?$/i.test(answer)
  } catch {
    return false // Ctrl-C
  } finally {
    asking.close()
  }
}
