/** Goes anywhere by a few letters: Ctrl-K. `/` moves to the search of the view. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isPlain, isWithControl, usePageKey } from '../keys.ts'
import { useChoices } from './choices.ts'

/** Opens it by key, wherever the visitor is. */
export function Palette() {
  /** Counts how often it was opened; 0: it is closed. */
  const [opened, setOpened] = useState(0)
  const count = useRef(0)
  const open = () => {
    count.current++
    setOpened(count.current)
  }
  usePageKey({
    isWanted: (event) => event.key.toLowerCase() === 'k' && isWithControl(event),
    act: open
  })
  usePageKey({
    isWanted: (event) => event.key === '/' && isPlain(event),
    act: () => {
      const search = searchHere()
      if (search) search.select()
      else open()
    }
  })
  // The browser tells of a close later, when it may have been opened again.
  return opened > 0 ? <Opened key={opened} onClose={() => setOpened((now) => (now === opened ? 0 : now))} /> : null
}

const searchHere = (): HTMLInputElement | undefined =>
  [...document.querySelectorAll<HTMLInputElement>('main input[type="search"]')].find((it) => it.checkVisibility())

function Opened({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { choices, isAsking } = useChoices(text)
  // Enter was pressed before anything was found.
  const [isEntered, setEntered] = useState(false)
  const index = Math.min(at, choices.length - 1)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }, [index, id])
  useEffect(() => {
    if (!isEntered || isAsking) return
    setEntered(false)
    choose(0)
  }, [isEntered, isAsking])
  const choose = (chosen: number) => {
    const choice = choices[chosen]
    if (!choice) return
    // First, so that what it does finds the page without a dialog.
    dialog.current?.close()
    onClose()
    choice.act()
  }
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((index + step + choices.length) % Math.max(1, choices.length))
    else if (event.key === 'Enter' && choices.length === 0) setEntered(isAsking)
    else if (event.key === 'Enter') choose(index)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to or do"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <input
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: it has no list of its own
        role="combobox"
        list={undefined}
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length > 0 ? `${id}-${index}` : undefined}
        aria-label="Find definitions, runs, steps and actions"
        placeholder="Definition, run, step or action"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
          setEntered(false)
        }}
        onKeyDown={keys}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Found">
        {choices.map(({ kind, text, detail }, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          <div
            key={`${kind} ${text} ${detail}`}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === index}
            onClick={() => choose(place)}
          >
            <span class="soft">{kind}</span> <b>{text}</b> <span class="soft short">{detail}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="soft">{isAsking ? 'Searching…' : 'Nothing found.'}</p>}
    </dialog>
  )
}
