/** The last lines that a step wrote: those of its errors, or of its output when it has none. */
import { useMemo } from 'preact/hooks'
import { seenText } from '../../../platform/seen-text.ts'
import type { LogChunk } from '../../answers.ts'
import { pathOf, type Refusal } from '../../api.ts'
import { useAnswer } from '../../use-answer.ts'

const LINES = 20
/** Signs of a line; the log has all of it. */
const MOST_SIGNS = 500

export interface LastLines {
  lines: readonly string[]
  /** The lines are all that there is. */
  isKnown: boolean
  /** The log that has the lines, as the address has it. */
  side: 'err' | 'out'
  /** Number of the last of them in that log, from 1 on; undefined: not known. */
  line: number | undefined
  refusal: Refusal | undefined
}

/** @param path of the run in the API @param of members of the query: of which attempt of the run, of which execution of the step */
export function useLastLines(path: string, step: string, of: Record<string, string> = {}): LastLines {
  const log = (stream: string) =>
    `${path}/steps${pathOf(step)}/log?${new URLSearchParams({ tail: String(LINES), stream, ...of })}`
  const errors = useAnswer<LogChunk>(log('stderr'))
  // Many programs write their errors to the other stream; a function that has written none has no such log.
  const isSilent = errors.value?.lineCount === 0 || errors.refusal?.status === 404
  const output = useAnswer<LogChunk>(isSilent ? log('stdout') : undefined)
  const found = isSilent ? output.value : errors.value
  const { content = '', lineCount = 0, firstLine } = found ?? {}
  const lines = useMemo(
    () =>
      lineCount === 0
        ? []
        : seenText(content)
            .split('\n')
            .map((line) => line.slice(0, MOST_SIGNS)),
    [content, lineCount]
  )
  return {
    lines,
    isKnown: found !== undefined,
    side: isSilent ? 'out' : 'err',
    line: firstLine === undefined ? undefined : firstLine + lineCount - 1,
    refusal: isSilent ? output.refusal : errors.refusal
  }
}
