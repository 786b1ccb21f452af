/** Finds a step in a graph by some letters of its name: `f`. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isPlain, usePageKey } from '../../keys.ts'
import { Icon } from '../../parts/icon.tsx'

interface Props {
  names: readonly string[]
  text: string
  onText: (text: string) => void
  /** Moves to a step and selects it. */
  onGo: (name: string) => void
}

export const matching = (names: readonly string[], text: string): string[] => {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? [] : names.filter((name) => name.toLowerCase().includes(wanted))
}

export function StepFinder({ names, text, onText, onGo }: Props) {
  const [isOpen, setOpen] = useState(false)
  const at = useRef(-1)
  const field = useRef<HTMLInputElement>(null)
  const found = matching(names, text)
  usePageKey({
    isWanted: (event) =>
      event.key === 'f' && isPlain(event) && !(event.target instanceof Element && event.target.closest('[role="log"]')),
    act: () => setOpen(true)
  })
  // Before the next key, not after the next picture: who types on at once loses no letter.
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  const go = (step: number) => {
    if (found.length === 0) return
    at.current = (at.current + step + found.length) % found.length
    const name = found[at.current]
    if (name !== undefined) onGo(name)
  }
  const close = () => {
    setOpen(false)
    onText('')
  }
  if (!isOpen)
    return (
      <button
        type="button"
        class="plain round finder"
        aria-label="Find a step"
        title="Find a step (f)"
        onClick={() => setOpen(true)}
      >
        <Icon name="find" />
      </button>
    )
  return (
    <div class="finder">
      <input
        ref={field}
        aria-label="Find a step"
        placeholder="Find a step"
        value={text}
        onInput={({ currentTarget }) => {
          at.current = -1
          onText(currentTarget.value)
        }}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.isComposing) return
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') close()
        }}
      />
      <span class="soft" aria-live="polite">
        {text === '' ? '' : `${found.length} found`}
      </span>
      <button type="button" class="plain round" aria-label="Close the search" onClick={close}>
        ×
      </button>
    </div>
  )
}
