/** The line between the views of a run and the panel beside them: dragged, or moved by keys. Where it is, is kept in this browser. */
import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'

const KEY = 'troupe.panel'
/** Bounds of the panel's part of the width, in percent. */
const LEAST = 20
const MOST = 75
const STEP = 2

/** @returns the panel's share of the width in percent; undefined: as the style sheet has it */
function kept(): number | undefined {
  const share = Number(localStorage.getItem(KEY) ?? Number.NaN)
  return share >= LEAST && share <= MOST ? share : undefined
}

export interface Share {
  share: number | undefined
  setShare: (share: number | undefined) => void
}

export function useShare(): Share {
  const [share, set] = useState(kept)
  return {
    share,
    setShare(next) {
      const rounded = next === undefined ? undefined : Math.round(Math.min(MOST, Math.max(LEAST, next)))
      if (rounded === undefined) localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, String(rounded))
      set(rounded)
    }
  }
}

/** For the element that has both parts. */
export const shareStyle = ({ share }: Share) =>
  share === undefined
    ? { class: 'run-parts' }
    : { class: 'run-parts sized', style: { '--views': `${100 - share}fr`, '--panel': `${share}fr` } }

/** @param place the element that has both parts */
export function Divider({ place, share: { share, setShare } }: { place: RefObject<HTMLElement | null>; share: Share }) {
  const [now, setNow] = useState(43)
  /** @param x of the divider; undefined: where it is */
  const measured = (divider: HTMLElement, x = divider.getBoundingClientRect().left): number => {
    const { right = 0, width = 1 } = place.current?.getBoundingClientRect() ?? {}
    return Math.round(((right - x) / width) * 100)
  }
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const from = share ?? measured(event.currentTarget)
    const next = { ArrowLeft: from + STEP, ArrowRight: from - STEP, Home: MOST, End: LEAST, Enter: undefined }
    if (!(event.key in next)) return
    event.preventDefault()
    setShare(next[event.key as keyof typeof next]) // one of its keys, see above
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line of a document cannot be moved
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={share ?? now}
      title="Drag, or use the arrow keys; Enter: as at first"
      onFocus={({ currentTarget }) => setNow(measured(currentTarget))}
      onKeyDown={onKeyDown}
      onDblClick={() => setShare(undefined)}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) =>
        currentTarget.hasPointerCapture(pointerId) && setShare(measured(currentTarget, clientX))
      }
    />
  )
}
