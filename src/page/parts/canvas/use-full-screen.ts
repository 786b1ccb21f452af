/** Shows an element on the whole screen, or in the whole window where the browser does not let it. Escape ends both. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export function useFullScreen() {
  const place = useRef<HTMLDivElement>(null)
  /** `window`: the style sheet does it. */
  const [isFull, setFull] = useState<'screen' | 'window' | undefined>()
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement === place.current ? 'screen' : undefined)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [])
  useEffect(() => {
    if (isFull !== 'window') return
    const keys = (event: KeyboardEvent) => {
      // It ends what is above it first: a search, a dialog.
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]'))
        setFull(undefined)
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [isFull])
  const toggle = useCallback(() => {
    if (isFull === 'window') setFull(undefined)
    else if (isFull === 'screen') void document.exitFullscreen()
    // Phones have it for videos only.
    else if (place.current?.requestFullscreen) place.current.requestFullscreen().catch(() => setFull('window'))
    else setFull('window')
  }, [isFull])
  return { place, isFull, toggle }
}
