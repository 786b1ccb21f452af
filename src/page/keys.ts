/** Keys of the page. What somebody types is theirs first: each listener for keys asks here. */
import { useEffect, useRef } from 'preact/hooks'

// D1593: what is typed is theirs
/**
 * Whether a key goes into a text: a field, an editor, wherever in the page it stands, or the composition of a sign. Also where a handler
 * around a field hears of it. A shortcut, such as Ctrl-K or F8, goes into none.
 */
export const isTyped = (event: KeyboardEvent): boolean =>
  event.isComposing || (isText(event.composedPath()[0]) && !isShortcut(event))

/** A component with a shadow root hides its field from `event.target`. */
const isText = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** AltGr, which writes signs, is Ctrl and Alt on Windows. */
const isShortcut = (event: KeyboardEvent): boolean =>
  /^F\d+$/.test(event.key) || ((event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph'))

interface Key {
  isWanted: (event: KeyboardEvent) => boolean
  act: (event: KeyboardEvent) => void
  /** The key acts while a dialog is open, too. */
  inDialogs?: boolean
  /** Nothing listens while it is false. */
  isOn?: boolean
}

/** A key for the whole page, while nobody types and nothing else has taken it. */
export function usePageKey({ isWanted, act, inDialogs = false, isOn = true }: Key): void {
  const latest = useRef({ isWanted, act })
  latest.current = { isWanted, act }
  useEffect(() => {
    if (!isOn) return
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyped(event) || !latest.current.isWanted(event)) return
      if (!inDialogs && document.querySelector('dialog[open]')) return
      event.preventDefault()
      latest.current.act(event)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [inDialogs, isOn])
}

/** Without Ctrl, Alt or Meta. */
export const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => !ctrlKey && !metaKey && !altKey

/** With Ctrl, or with Command. */
export const isWithControl = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => (ctrlKey || metaKey) && !altKey
