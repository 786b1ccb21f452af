/** A modal dialog with a question. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface Props {
  title: string
  /** Text of the button that confirms. */
  yes: string
  isBusy?: boolean
  isGrave?: boolean
  onYes: () => void
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, yes, isBusy = false, isGrave = false, onYes, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    onYes()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <button type="submit" class={`button ${isGrave ? 'grave' : 'main'}`} disabled={isBusy}>
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  )
}
