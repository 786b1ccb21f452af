/** Moves the focus to the heading of a view that was opened, so that a screen reader reads it and Tab goes on from there. */
import { after } from '../clock.ts'

/** A view that is loading has its heading, or another one, later. */
const PATIENCE_MS = 5_000
let end = () => {}

/** A new view is opened: its heading gets the focus when it is there, unless the visitor has gone elsewhere. */
export function greet(): void {
  end()
  const from = document.activeElement
  const old = document.querySelector('main h1')
  const text = old?.textContent
  let greeted: HTMLElement | undefined
  const attempt = () => {
    const { activeElement } = document
    if (![from, greeted, document.body].includes(activeElement)) return end()
    const heading = document.querySelector<HTMLElement>('main h1')
    const isStillOld = greeted === undefined && heading === old && heading?.textContent === text
    if (!heading || heading === greeted || isStillOld) return
    greeted = heading
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
  const watcher = new MutationObserver(attempt)
  const callOff = after(PATIENCE_MS, () => end())
  end = () => {
    watcher.disconnect()
    callOff()
  }
  watcher.observe(document.body, { childList: true, subtree: true, characterData: true })
}
