/** A button that copies one text, beside that text. */
import { Icon } from '../icon.tsx'
import { useCopying } from './copying.ts'

/** @param what it is, within a sentence: `run ID`, `command` */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { copy, isBusy } = useCopying(text, what)
  return (
    <button
      type="button"
      class="plain copy"
      aria-label={`Copy the ${what}`}
      title={`Copy the ${what}`}
      disabled={isBusy}
      onClick={copy}
    >
      <Icon name="copy" />
    </button>
  )
}
