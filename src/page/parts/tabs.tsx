/** Tabs as in the ARIA patterns: arrow keys move between them, and only one is in the tab order. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props<Name extends string> {
  /** The name of all tabs together. */
  label: string
  names: readonly (readonly [name: Name, text: string])[]
  chosen: Name
  onChoose: (name: Name) => void
  children: ComponentChildren
  /** For the styles. */
  kind?: string
}

export function Tabs<Name extends string>({ label, names, chosen, onChoose, children, kind = '' }: Props<Name>) {
  const id = (name: string) => `tab-${label.replaceAll(' ', '-')}-${name}`
  const row = useRef<HTMLDivElement>(null)
  // The row may be wider than a phone. The page itself stays where it is.
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (!row.current || !tab) return
    const { left, right } = row.current.getBoundingClientRect()
    const place = tab.getBoundingClientRect()
    if (place.left < left) row.current.scrollLeft += place.left - left
    else if (place.right > right) row.current.scrollLeft += place.right - right
  }, [chosen])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const at = names.findIndex(([name]) => name === chosen)
    const next = names[(at + step + names.length) % names.length]?.[0]
    if (next === undefined) return
    onChoose(next)
    document.getElementById(id(next))?.focus()
  }
  return (
    <section class={`tabs ${kind}`} aria-label={label}>
      <div ref={row} class="tab-row" role="tablist" aria-label={label} onKeyDown={move}>
        {names.map(([name, text]) => (
          <button
            key={name}
            id={id(name)}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls={`${id('')}panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id('')}panel`} aria-labelledby={id(chosen)}>
        {children}
      </div>
    </section>
  )
}
