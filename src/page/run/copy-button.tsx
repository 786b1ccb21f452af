/** A button that copies one text, beside that text. */
import { putIntoClipboard } from '../clipboard.ts'
import { useAction } from '../parts/notices.tsx'

/** @param what it is, within a sentence: `run ID`, `command` */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { act, isBusy } = useAction()
  const copy = () =>
    act(async () => {
      await putIntoClipboard(text)
      return `Copied the ${what}.`
    })
  return (
    <button
      type="button"
      class="plain copy"
      aria-label={`Copy the ${what}`}
      title={`Copy the ${what}`}
      disabled={isBusy}
      onClick={copy}
    >
      <svg class="icon line" width={16} height={16} viewBox="0 0 16 16" aria-hidden="true">
        <path d="M6 5.5h7.5V14H6zM10 5.5V2.5H2.5V11H6" />
      </svg>
    </button>
  )
}
