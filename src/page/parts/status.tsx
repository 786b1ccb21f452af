/** A status in words, with its mark. */
import type { Label, WaitedFor } from '../answers.ts'
import { now } from '../clock.ts'
import { stateText } from '../text.ts'
import { StatusMark } from './icon.tsx'

export const Status = ({ label, waitingFor }: { label: Label; waitingFor?: WaitedFor | undefined }) => (
  <span class={`status s-${label} ${waitingFor ? 's-waiting' : ''}`}>
    <StatusMark label={waitingFor ? 'waiting' : label} />
    {stateText(label, waitingFor, now())}
  </span>
)
