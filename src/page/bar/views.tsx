/** Links to the views, in one line however wide the window is: those that have no room are in a menu. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { Opener } from '../parts/opener.tsx'
import { fitting } from './fitting.ts'

/** What follows `#/` in the address, how the view is called, and how much there waits for the visitor. */
export type Place = readonly [name: string, text: string, waits?: number]

interface Props {
  places: readonly Place[]
  /** The one that is shown. */
  place: string
  /** More for the menu, below its links. */
  children: ComponentChildren
}

// D1565: the bar has as many views as fit, in a fixed order, and a menu of the others
export function Views({ places, place, children }: Props) {
  const nav = useRef<HTMLElement>(null)
  const [count, setCount] = useState(places.length)
  const isMenuWanted = Boolean(children)
  const current = places.findIndex(([name]) => name === place)
  const all = places.map(([name, , waits]) => `${name} ${waits}`).join(' ')
  useLayoutEffect(() => {
    const bar = nav.current
    if (!bar) return
    const look = () => setCount(fitting({ ...measured(bar, current), current, isMenuWanted }))
    look()
    const observer = new ResizeObserver(look)
    observer.observe(bar)
    return () => observer.disconnect()
  }, [all, current, isMenuWanted])
  const away = places.slice(count)
  const waiting = away.reduce((sum, [, , waits = 0]) => sum + waits, 0)
  /** The view that is shown, if the menu leads to it. */
  const hidden = current >= count ? places[current]?.[1] : undefined
  return (
    <nav ref={nav} aria-label="Views">
      {places.map((it, at) => (
        <ViewLink key={it[0]} of={it} place={place} isAway={at >= count} />
      ))}
      <span class="view away" aria-hidden="true">
        More
        <Count waits={waiting} />
        <Icon name="down" />
      </span>
      {(away.length > 0 || isMenuWanted) && (
        <Opener
          kind="more-views"
          button="view"
          face={
            <>
              {hidden ?? 'More'}
              <Count waits={waiting} />
              <span class="unseen">{hidden === undefined ? ' views' : ', other views'}</span>
              <Icon name="down" />
            </>
          }
          isCurrent={hidden !== undefined}
          place={place}
          isMenu
        >
          {away.length > 0 && (
            <ul>
              {away.map((it) => (
                <li key={it[0]}>
                  <ViewLink of={it} place={place} />
                </li>
              ))}
            </ul>
          )}
          {children}
        </Opener>
      )}
    </nav>
  )
}

/** @param isAway it has no room: it is there to be measured, and found by the palette */
function ViewLink({
  of: [name, text, waits = 0],
  place,
  isAway = false
}: {
  of: Place
  place: string
  isAway?: boolean
}) {
  return (
    <a class={isAway ? 'view away' : 'view'} href={`#/${name}`} aria-current={name === place ? 'page' : undefined}>
      {text}
      <Count waits={waits} />
    </a>
  )
}

const Count = ({ waits }: { waits: number }) =>
  waits === 0 ? null : (
    <span class="count">
      {waits}
      <span class="unseen"> waiting for you</span>
    </span>
  )

/** Links and the button of the menu are as wide as their texts, which no browser knows before. */
function measured(bar: HTMLElement, current: number) {
  const width = (element: Element | null | undefined) => element?.getBoundingClientRect().width ?? 0
  const widths = [...bar.querySelectorAll(':scope > a')].map(width)
  const more = bar.querySelector(':scope > span')
  const gap = Number.parseFloat(getComputedStyle(bar).columnGap) || 0
  const icon = width(more?.querySelector('svg'))
  return { widths, gap, room: width(bar), menu: width(more), menuOfCurrent: (widths[current] ?? 0) + icon }
}
