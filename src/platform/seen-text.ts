/**
 * What is seen of the output of a program: without escape sequences, and of a line that was written over, as by a progress bar, the last
 * state. What the page draws and what the server finds is the same. Imports nothing.
 */

/**
 * Never a line break. An unterminated one extends to the end of its line. The first group: the codes of a sequence that sets the style.
 */
export const SEQUENCE =
  /(?:\x1b\[|\x9b)(?:([\d;:]*)m|[0-?]*[ -/]*[@-~]?)|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g

/** Lines as they are seen, any number of them. */
export function seenText(lines: string): string {
  const last = lines.includes('\r') ? lines.split('\n').map(lastStateOf).join('\n') : lines
  return /[\x1b\x90-\x9f]/.test(last) ? last.replace(SEQUENCE, '') : last
}

/** Where the last state of a line is: after the last carriage return that something follows. */
export function lastState(line: string): { from: number; until: number } {
  if (!line.includes('\r')) return { from: 0, until: line.length }
  const until = line.length - (/\r+$/.exec(line)?.[0].length ?? 0)
  return { from: line.lastIndexOf('\r', until - 1) + 1, until }
}

function lastStateOf(line: string): string {
  const { from, until } = lastState(line)
  return line.slice(from, until)
}
