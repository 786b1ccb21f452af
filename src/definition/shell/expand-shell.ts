/** Variables and backtick commands in a text that a sh-like shell reads. Source: execution-semantics 3.1.3-3.1.8. */
import type { Lookup } from '../text/lookup.ts'
import { resolver } from '../text/resolve.ts'
import type { ShellReader } from './shell.ts'
import { ShellText } from './shell-text.ts'

// D543, D544: the text of a nested shell is read as that shell will read it
/** @param backticks whether Troupe runs backtick commands; otherwise they are the shell's */
export async function expandShell(
  text: string,
  look: Lookup,
  backticks: boolean,
  reader: ShellReader
): Promise<string> {
  if (!text.includes('$') && !(backticks && text.includes('`'))) return text
  const isGuarded = look.isData !== undefined && !look.asText && reader !== 'other'
  const substitute = (command: string) => substituted(command, look)
  const reading = { look, backticks, reader, resolve: resolver(look), substitute, isGuarded }
  return new ShellText(text, reading, 'command', 0).expand()
}

/** Runs a backtick command. Its own references are expanded for the shell that runs it. */
export const substituted = async (command: string, look: Lookup): Promise<string> =>
  (await look.substitute?.(await expandShell(command, look, false, look.substitutesBy ?? 'shell'))) ?? ''
