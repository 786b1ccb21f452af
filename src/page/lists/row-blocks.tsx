/**
 * The rows of a long table that scrolls with the page, in blocks: those near the window are in the document, in the place of the others
 * there are gaps. Rows may be of different heights.
 */
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  count: number
  row: (index: number) => ComponentChildren
}

// D1311: a list of runs scrolls with the page, and blocks of rows far from the window are gaps
/** A shorter table is drawn whole. */
const MOST_WHOLE = 200
/** A turn of the wheel is to draw a block or two, not half a window more than comes into sight. */
const BLOCK_ROWS = 10
/** Height of a row, as long as none was measured. */
const ROW_PX = 37
/** How far from the window a block is drawn, in heights of the window. */
const NEAR = 0.6

/** The bodies of a table: one for each block that is drawn, and for each gap. */
export function RowBlocks({ count, row }: Props) {
  const beginning = useRef<HTMLTableSectionElement>(null)
  const blocks = Math.ceil(count / BLOCK_ROWS)
  const { drawn, heightOf } = useBlocksInSight(beginning, count)
  const bodies: ComponentChildren[] = []
  let next = 0
  const gap = (until: number) => {
    const px = Array.from({ length: until - next }, (_, at) => heightOf(next + at)).reduce((sum, one) => sum + one, 0)
    if (px > 0)
      bodies.push(
        <tbody key={`gap ${until === blocks ? 'after' : until}`}>
          <tr class="gap" style={{ height: `${px}px` }} />
        </tbody>
      )
  }
  for (const block of drawn) {
    if (block >= blocks) break
    gap(block)
    const first = block * BLOCK_ROWS
    bodies.push(
      <tbody key={block} data-block={block}>
        {Array.from({ length: Math.min(BLOCK_ROWS, count - first) }, (_, at) => row(first + at))}
      </tbody>
    )
    next = block + 1
  }
  gap(blocks)
  return (
    <>
      <tbody ref={beginning} />
      {bodies}
    </>
  )
}

/** @param beginning is where the rows begin @returns numbers of the blocks to draw, and the height of any, in px */
function useBlocksInSight(
  beginning: RefObject<HTMLTableSectionElement | null>,
  count: number
): { drawn: readonly number[]; heightOf: (block: number) => number } {
  const blocks = Math.ceil(count / BLOCK_ROWS)
  const isWhole = count <= MOST_WHOLE
  const [near, setNear] = useState<readonly number[]>([0])
  /** Heights of rows: of each block when it was drawn last, and of any other. */
  const known = useRef(new Map<number, number>())
  const usual = useRef(ROW_PX)
  const heightOf = (block: number) =>
    Math.min(BLOCK_ROWS, count - block * BLOCK_ROWS) * (known.current.get(block) ?? usual.current)
  useLayoutEffect(() => {
    if (isWhole) return
    const look = () => {
      const place = beginning.current
      if (!place) return
      for (const body of place.parentElement?.querySelectorAll<HTMLTableSectionElement>('tbody[data-block]') ?? []) {
        usual.current = body.getBoundingClientRect().height / body.rows.length
        known.current.set(Number(body.dataset.block), usual.current)
      }
      const found: number[] = []
      const held = blockWithFocus(place)
      let top = place.getBoundingClientRect().top
      for (let block = 0; block < blocks; block++) {
        const end = top + heightOf(block)
        if ((end > -NEAR * innerHeight && top < (1 + NEAR) * innerHeight) || block === held) found.push(block)
        top = end
      }
      setNear((before) => (before.join() === found.join() ? before : found))
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [count, isWhole])
  return { drawn: isWhole ? Array.from({ length: blocks }, (_, at) => at) : near, heightOf }
}

/** The block whose row has the focus: without it the keyboard would be nowhere. */
function blockWithFocus(place: HTMLElement): number | undefined {
  const body = document.activeElement?.closest<HTMLElement>('tbody[data-block]')
  return body && body.parentElement === place.parentElement ? Number(body.dataset.block) : undefined
}
