/** The time zone that the page shows times in: that of the browser, the server, UTC or a definition. Kept for this browser. */
import { useEffect, useState } from 'preact/hooks'
import { uptime } from './clock.ts'

export const ZONE_NAMES = ['browser', 'server', 'utc', 'definition'] as const
/** What is chosen; which zone that is may differ from view to view. */
export type ZoneName = (typeof ZONE_NAMES)[number]

const KEPT = 'troupe.zone'
const CHANGED = 'troupe-zone'

/** A visitor travels, but a browser takes longer to tell its zone than to draw a row of a list. */
const LOOK_AGAIN_MS = 60_000
let ofBrowser: { zone: string; at: number } | undefined

function browserZone(): string {
  const at = uptime()
  if (!ofBrowser || at - ofBrowser.at > LOOK_AGAIN_MS)
    ofBrowser = { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, at }
  return ofBrowser.zone
}

/** The zone of the server, which has put it into the page; empty: not known. */
export const serverZone = (): string =>
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[name="troupe-zone"]')?.content ?? '')

/** The zone of the schedule that is shown; undefined: none is. */
let ofDefinition: string | undefined
let chosen: ZoneName | undefined

/** Names of zones: whether this browser knows one. Asking takes as long as above. */
const known = new Map<string, boolean>()

function isKnown(zone: string): boolean {
  const found = known.get(zone) ?? isUsable(zone)
  known.set(zone, found)
  return found
}

function isUsable(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

export function chosenZone(): ZoneName {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEPT)
  chosen ??= ZONE_NAMES.find((name) => name === kept) ?? 'browser'
  return chosen
}

// D1292: the zone of a definition is a choice where its schedule is shown
/** The IANA name of each choice that there is now. That of a definition is there while a view shows its schedule. */
export function zones(): Partial<Record<ZoneName, string>> {
  const server = serverZone()
  return {
    browser: browserZone(),
    ...(isKnown(server) && server !== '' ? { server } : {}),
    utc: 'UTC',
    ...(ofDefinition !== undefined && isKnown(ofDefinition) ? { definition: ofDefinition } : {})
  }
}

/** The IANA name of the zone that times are shown in. A definition's is that of the server where no definition is shown. */
export function zone(): string {
  const all = zones()
  return all[chosenZone()] ?? all.server ?? browserZone()
}

export function chooseZone(name: ZoneName): void {
  chosen = name
  localStorage.setItem(KEPT, name)
  dispatchEvent(new Event(CHANGED))
}

/** Tells the zone of the schedule that a view shows, as long as it does. @param name undefined: it has none */
export function useDefinitionZone(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return
    ofDefinition = name
    dispatchEvent(new Event(CHANGED))
    return () => {
      ofDefinition = undefined
      dispatchEvent(new Event(CHANGED))
    }
  }, [name])
}

/** Renders again when the zone changes. @returns its IANA name */
export function useZone(): string {
  const [, setCount] = useState(0)
  useEffect(() => {
    const changed = () => setCount((count) => count + 1)
    addEventListener(CHANGED, changed)
    return () => removeEventListener(CHANGED, changed)
  }, [])
  return zone()
}

/** Ms that the clocks of the shown zone are ahead of UTC. @param at epoch ms */
export function offsetAt(at: number): number {
  const whole = Math.floor(at / 1_000) * 1_000
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone(),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric'
  } as Intl.DateTimeFormatOptions).formatToParts(whole)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - whole
}
