/** A status in words, with its mark. */
import type { Label } from '../answers.ts'
import { statusText } from '../text.ts'
import { StatusMark } from './icon.tsx'

export const Status = ({ label }: { label: Label }) => (
  <span class={`status s-${label}`}>
    <StatusMark label={label} />
    {statusText(label)}
  </span>
)
