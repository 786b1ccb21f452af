/**
 * A list command as a line for a sh-like shell. An argument is quoted before its values are put in, so that each value is
 * escaped for the quotes it stands in. Source: execution-semantics 3.1.5, 4.1.3.
 */
import type { Lookup } from '../text/lookup.ts'
import { expandShellText } from '../text/variables.ts'
import type { ShellReader } from './shell.ts'

// D46: double quotes of a list command's argument are written before its values
/**
 * Choice: an argument has a blank when its values bring one, and stays one word. An empty argument becomes `""` rather than
 * nothing.
 * @throws Error as `expandShellText`
 */
export async function expandList(
  [program = '', ...rest]: string[],
  look: Lookup,
  reader: ShellReader = 'shell'
): Promise<string> {
  const words = [await expandShellText(program, look, reader)]
  for (const written of rest) words.push(await argument(written, look, reader))
  return words.join(' ')
}

async function argument(written: string, look: Lookup, reader: ShellReader): Promise<string> {
  if (/^(["'])[\s\S]*\1$/.test(written)) return expandShellText(written, look, reader)
  const { noted, again } = backticksOnce(look)
  if (!/\s/.test(written)) {
    const bare = await expandShellText(written, noted, 'other')
    if (bare !== '' && !/\s/.test(bare)) return reader === 'other' ? bare : expandShellText(written, again, reader)
  }
  return expandShellText(doubleQuoted(written), again, reader)
}

/** Lookups for two looks at one text: the second takes the output of the first's backticks. */
function backticksOnce(look: Lookup): { noted: Lookup; again: Lookup } {
  const { substitute } = look
  if (!substitute) return { noted: look, again: look }
  const ran: { command: string; value: string }[] = []
  const noted = async (command: string) => {
    const value = await substitute(command)
    ran.push({ command, value })
    return value
  }
  const again = async (command: string) => {
    const at = ran.findIndex((one) => one.command === command)
    return ran.splice(at, at < 0 ? 0 : 1)[0]?.value ?? substitute(command)
  }
  return { noted: { ...look, substitute: noted }, again: { ...look, substitute: again } }
}

/** A backslash pair, a backtick command, a quote. */
const MARKS = /\\[\s\S]?|`[^`\\]*(?:\\[\s\S][^`\\]*)*`|"/g

/** The quotes of a backtick command are its own. A backslash at the end would take the closing quote away. */
const doubleQuoted = (text: string): string =>
  `"${text.replace(MARKS, (mark) => (mark === '"' || mark === '\\' ? `\\${mark}` : mark))}"`
