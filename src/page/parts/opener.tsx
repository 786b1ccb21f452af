/** A button that opens a box below it. A press elsewhere closes it, as does Escape, wherever in it the focus is. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** For the styles: of the whole, and of the button. */
  kind: string
  button: string
  /** What the button shows. */
  face: ComponentChildren
  /** The name of the button, where it shows an icon only. */
  label?: string
  isCurrent?: boolean
  /** With another place, it is closed. */
  place?: string
  /** A press on one of its links or buttons is the last one. */
  isMenu?: boolean
  children: ComponentChildren
}

export function Opener({ kind, button, face, label, isCurrent = false, place, isMenu = false, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const whole = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => setOpen(false), [place])
  // At once: the next key may lead out of it.
  useLayoutEffect(() => {
    if (!isOpen) return
    const outside = ({ target }: Event) => {
      if (!(target instanceof Node && whole.current?.contains(target))) setOpen(false)
    }
    const events = ['pointerdown', 'focusin'] as const
    for (const event of events) document.addEventListener(event, outside)
    return () => {
      for (const event of events) document.removeEventListener(event, outside)
    }
  }, [isOpen])
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.preventDefault()
    event.stopPropagation()
    setOpen(false)
    opener.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it wherever in it the focus is
    <div ref={whole} class={kind} onKeyDown={keys}>
      <button
        ref={opener}
        type="button"
        class={button}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-current={isCurrent ? 'page' : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a link that leads to where one is closes it, too
        <div
          id={id}
          onClick={({ target }) => isMenu && target instanceof Element && target.closest('a, button') && setOpen(false)}
        >
          {children}
        </div>
      )}
    </div>
  )
}
