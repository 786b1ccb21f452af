/** A modal dialog with a question. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  title: string
  /** Text of the button that confirms. */
  yes: string
  isBusy?: boolean
  isGrave?: boolean
  /** As wide as there is room. */
  isWide?: boolean
  onYes: () => void
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({
  title,
  yes,
  isBusy = false,
  isGrave = false,
  isWide = false,
  onYes,
  onClose,
  children
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const yesButton = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    dialog.current?.showModal()
    // What is to be looked at first has nothing to fill in. What cannot be taken back is never one key away.
    if (isWide && !isGrave) yesButton.current?.focus()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    onYes()
  }
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button ref={yesButton} type="submit" class={`button ${isGrave ? 'grave' : 'main'}`} disabled={isBusy}>
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  )
}
