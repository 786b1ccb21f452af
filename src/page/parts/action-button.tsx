/** A button for an action. When the action is not possible now, the button is disabled and says why. */
import type { ComponentChildren } from 'preact'
import { useNotify } from './notices.tsx'

interface Props {
  /** A sentence: why it is not possible now. */
  refusal?: string | undefined
  isBusy?: boolean
  kind?: string
  onAct: () => void
  children: ComponentChildren
}

export function ActionButton({ refusal, isBusy = false, kind = '', onAct, children }: Props) {
  const notify = useNotify()
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-disabled={refusal !== undefined || isBusy}
      title={refusal}
      onClick={() => {
        if (refusal !== undefined) notify('failed', refusal)
        else if (!isBusy) onAct()
      }}
    >
      {children}
      {refusal !== undefined && <span class="unseen"> (unavailable: {refusal})</span>}
    </button>
  )
}
