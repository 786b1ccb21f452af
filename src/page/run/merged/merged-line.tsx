/** A line of several logs: as a row, and with all that a row has no room for. */
import { seenText } from '../../../platform/seen-text.ts'
import type { JournalEvent } from '../../answers.ts'
import { LongText } from '../../parts/long-text.tsx'
import { Option } from '../../parts/windowed.tsx'
import { changeQuery } from '../../route.ts'
import { clockText, instant } from '../../text.ts'
import { eventBefore } from '../journal/event-before.ts'
import { drawnLine } from '../step/drawn-line.tsx'
import { paintedLine } from '../step/painted.ts'
import type { MergedLine } from './use-merged-log.ts'

/** Signs of a row; the log of the step has all of it. */
const MOST_SIGNS = 4_000

interface RowProps {
  line: MergedLine
  hue: number
  text: string
  isChosen: boolean
  onChoose: () => void
}

export const Row = ({ line: { key, step, stream, at, text: written }, hue, text, isChosen, onChoose }: RowProps) => (
  <Option id={`merged-${key}`} kind="merged-row" isChosen={isChosen} onChoose={onChoose}>
    <span class="merged-at">{clockText(instant(at))}</span>
    <span class="merged-step" style={{ '--hue': String(hue) }} title={step}>
      {step}
    </span>
    <span class="merged-stream">
      {stream === 'stderr' && (
        <>
          <span aria-hidden="true">err</span>
          <span class="unseen">errors</span>
        </>
      )}
    </span>
    <span class="log-text">{drawnLine(paintedLine(written.slice(0, MOST_SIGNS)).parts, text)}</span>
  </Option>
)

/** The parts of a line that a row has no room for, and where they lead to. */
export function Picked({
  line: { step, stream, at, text },
  events
}: {
  line: MergedLine
  events: readonly JournalEvent[]
}) {
  const second = instant(at)
  const event = second === undefined ? undefined : eventBefore(events, step, second)
  return (
    <section class="merged-picked" aria-label="Selected line">
      <p>
        <b>{step}</b>, {stream === 'stderr' ? 'errors' : 'output'}
        {second !== undefined && `, ${clockText(second)}`}
      </p>
      <p>
        <LongText text={seenText(text)} label="The whole line" isCode />
      </p>
      <div class="buttons">
        <button
          type="button"
          class="button small"
          disabled={event === undefined}
          onClick={() => changeQuery({ at: String(event?.seq), line: undefined })}
        >
          Travel to this moment
        </button>
        <button
          type="button"
          class="button small"
          onClick={() => changeQuery({ step, side: stream === 'stderr' ? 'err' : 'out', line: undefined })}
        >
          Show its log
        </button>
      </div>
    </section>
  )
}
