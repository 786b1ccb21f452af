/** Keys in a grid of days or hours: one cell is a stop of Tab, arrows move, Enter opens its runs. */
import { useState } from 'preact/hooks'

/** @param first the cell that Tab leads to at first @param step the cell that a key leads to; undefined: none */
export function useCellKeys(first: string, step: (cell: string, key: string) => string | undefined) {
  const [chosen, setChosen] = useState(first)
  return {
    chosen,
    onKeyDown(event: KeyboardEvent) {
      const cell = event.target instanceof HTMLElement ? event.target.dataset.cell : undefined
      if (cell === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Enter') {
        ;(event.target as HTMLElement).querySelector('a')?.click()
        return
      }
      const next = step(cell, event.key)
      if (next === undefined) return
      const place = document.querySelector<HTMLElement>(`[data-cell="${next}"]`)
      event.preventDefault()
      if (!place) return
      setChosen(next)
      place.focus()
    },
    onFocus(event: FocusEvent) {
      const cell = event.target instanceof HTMLElement ? event.target.dataset.cell : undefined
      if (cell !== undefined) setChosen(cell)
    }
  }
}
