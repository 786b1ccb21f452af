/** The end of a row that is wider than its place. */

/** Scrolls there, and again when the place gets another width, until somebody scrolls away. @returns ends that */
export function keepAtEnd(row: HTMLElement): () => void {
  let width = row.clientWidth
  let isAtEnd = true
  const toEnd = () => {
    width = row.clientWidth
    if (isAtEnd) row.scrollLeft = row.scrollWidth
  }
  const look = () => {
    // With another width it is not somebody who scrolls.
    if (row.clientWidth === width) isAtEnd = row.scrollLeft + width >= row.scrollWidth - 2
  }
  toEnd()
  const sizes = new ResizeObserver(toEnd)
  sizes.observe(row)
  row.addEventListener('scroll', look)
  return () => {
    sizes.disconnect()
    row.removeEventListener('scroll', look)
  }
}
