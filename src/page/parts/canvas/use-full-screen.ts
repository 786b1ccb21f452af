/** Shows an element on the whole screen, or in the whole window where the browser does not let it. Escape ends both. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { usePageKey } from '../../keys.ts'

export function useFullScreen() {
  const place = useRef<HTMLDivElement>(null)
  /** `window`: the style sheet does it. */
  const [isFull, setFull] = useState<'screen' | 'window' | undefined>()
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement === place.current ? 'screen' : undefined)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [])
  // A search or a dialog above the canvas ends first.
  usePageKey({
    isWanted: ({ key }) => key === 'Escape',
    act: () => setFull(undefined),
    isOn: isFull === 'window'
  })
  const toggle = useCallback(() => {
    if (isFull === 'window') setFull(undefined)
    else if (isFull === 'screen') void document.exitFullscreen()
    // Phones have it for videos only.
    else if (place.current?.requestFullscreen) place.current.requestFullscreen().catch(() => setFull('window'))
    else setFull('window')
  }, [isFull])
  return { place, isFull, toggle }
}
