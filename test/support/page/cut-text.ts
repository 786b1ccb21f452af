/** Text on a page that cannot be read to its end: it is cut off, or outside the window. */
import type { Page } from 'playwright-core'

/** Runs in the browser. What scrolls, moves (a drawing) or has its whole text in a `title` can be read. */
const CUT = `(() => {
  const found = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const tell = (what, holder, node) => found.add(what + ' in ' + holder.tagName.toLowerCase() + '.' + holder.className + ': ' + node.data.trim().slice(0, 60))
  while (walker.nextNode()) {
    const node = walker.currentNode
    const holder = node.parentElement
    if (!node.data.trim() || holder.closest('.unseen, noscript, script, style, select, svg')) continue
    // For those who do not look, or for nobody.
    const { clipPath, visibility } = getComputedStyle(holder)
    if (clipPath !== 'none' || visibility === 'hidden') continue
    const range = document.createRange()
    range.selectNodeContents(node)
    // Only where it begins and ends counts: a text may have ten thousand lines.
    const widths = new Map([...range.getClientRects()].filter((it) => it.width > 0 && it.height > 0).map((it) => [it.left + ' ' + it.right, it]))
    for (const rect of widths.values()) {
      let isInScroller = false
      let isAbove = false
      for (let outer = holder; outer && !isInScroller; outer = outer.parentElement) {
        const { overflowX, display, position, zIndex } = getComputedStyle(outer)
        const box = outer.getBoundingClientRect()
        isInScroller = (overflowX === 'auto' || overflowX === 'scroll') && outer.scrollWidth > outer.clientWidth
        const isBeside = rect.right > box.right + 1 || rect.left < box.left - 1
        const isJudged = !isInScroller && !(isAbove && overflowX === 'visible') && display !== 'inline' && display !== 'contents' && isBeside
        if (isJudged && !outer.closest('[title]')) tell(overflowX === 'visible' ? 'beside its place' : 'cut', holder, node)
        // What is above the page is cut by none of its parents.
        if (isJudged || position === 'fixed') break
        // A menu is wider than what opens it.
        isAbove ||= position === 'absolute' && zIndex !== 'auto'
      }
      if (!isInScroller && (rect.right > innerWidth + 1 || rect.left < -1) && !holder.closest('[title]'))
        tell('beside the window', holder, node)
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.add('the page is ' + document.documentElement.scrollWidth + ' px wide')
  return [...found]
})()`

/** A line for each. */
export const cutText = (page: Page): Promise<string[]> => page.evaluate<string[]>(CUT)
