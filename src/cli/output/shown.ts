/** Where commands write: no text from outside can steer the terminal that it reaches, whichever command writes it. */
import type { Output } from '../context.ts'
import { visible, visibleJson } from '../view/text.ts'

// D1594: in front of each command, so that none can forget it
/** For text. */
export const shownText = (output: Output): Output => through(output, visible)

/** For JSON, whose bytes are kept for a program. */
export const shownJson = (output: Output): Output => (output.isTTY ? through(output, visibleJson) : output)

/** Everything else is that of the output itself, such as the size that a terminal has now. */
const through = (output: Output, shown: (text: string) => string): Output =>
  Object.create(output, { write: { value: (text: string) => output.write(shown(text)) } })
