/** A button for an action. One that is not possible now stays in its place and says why. */
import type { ComponentChildren } from 'preact'
import { useTell } from './notices.tsx'

interface Props {
  /** Why it is not possible now. */
  refusal?: string | undefined
  isBusy?: boolean
  kind?: string
  onAct: () => void
  children: ComponentChildren
}

export function ActionButton({ refusal, isBusy = false, kind = '', onAct, children }: Props) {
  const tell = useTell()
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-disabled={refusal !== undefined || isBusy}
      title={refusal}
      onClick={() => {
        if (refusal !== undefined) tell('failed', `Not now: ${refusal}.`)
        else if (!isBusy) onAct()
      }}
    >
      {children}
      {refusal !== undefined && <span class="unseen"> (not now: {refusal})</span>}
    </button>
  )
}
