/** A button for an action. When the action is not possible now, the button is disabled and says why. */
import type { ComponentChildren } from 'preact'
import { useNotify } from './notices.tsx'

interface Props {
  /** A sentence: why it is not possible now. */
  refusal?: string | undefined
  isBusy?: boolean
  /** For the styles; `plain`: without a frame. */
  kind?: string
  title?: string | undefined
  onAct: () => void
  children: ComponentChildren
}

export function ActionButton({ refusal, isBusy = false, kind = '', title, onAct, children }: Props) {
  const notify = useNotify()
  return (
    <button
      type="button"
      class={kind.includes('plain') ? kind : `button ${kind}`}
      aria-disabled={refusal !== undefined || isBusy}
      title={refusal ?? title}
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
