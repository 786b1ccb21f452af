/** How many links have room beside each other. No drawing here. */

interface Bar {
  /** Widths of all links, in their order, in pixels. */
  widths: readonly number[]
  /** Between two links. */
  gap: number
  /** For links and menu together. */
  room: number
  /** Width of the button of the menu, when it reads `More` and when it reads as the current view. */
  menu: number
  menuOfCurrent: number
  /** Index of the link to the view that is shown; -1: of none. */
  current: number
  /** There is a menu even if all links have room. */
  isMenuWanted: boolean
}

/** One or two links beside a menu look like all there is. */
const FEWEST = 3

/** The first so many links are in the bar, the others in the menu. */
export function fitting({ widths, gap, room, menu, menuOfCurrent, current, isMenuWanted }: Bar): number {
  const upTo = (count: number) => widths.slice(0, count).reduce((sum, width) => sum + width + gap, 0)
  if (!isMenuWanted && upTo(widths.length) - gap <= room) return widths.length
  for (let count = isMenuWanted ? widths.length : widths.length - 1; count >= FEWEST; count--)
    if (upTo(count) + (current >= count ? menuOfCurrent : menu) <= room) return count
  return 0
}
