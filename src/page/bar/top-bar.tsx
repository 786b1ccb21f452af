/** Navigation, theme and sign-out. */
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Coordinator } from '../answers.ts'
import { askWho, DOCS, forgetToken, hasToken, METHODS, NOTIFIES, SIGN_OUT, sendTo } from '../api.ts'
import { useConnection } from '../feed.ts'
import { Icon, Mark } from '../parts/icon.tsx'
import { useAction } from '../parts/notices.tsx'
import { usePolledAnswer } from '../polling.ts'
import { SessionContext, useRefusal } from '../session.ts'
import { CONNECTION } from '../text.ts'
import { useWaits } from '../waits/waits.tsx'
import { chooseZone, chosenZone, useZone, ZONE_NAMES, type ZoneName, zones } from '../zone.ts'
import { Views } from './views.tsx'

const PLACES = [
  ['runs', 'Runs'],
  ['calendar', 'Calendar'],
  ['definitions', 'Definitions'],
  ['queues', 'Queues'],
  ['machines', 'Machines']
] as const
const WORKERS = ['workers', 'Workers'] as const
const NOTIFICATIONS = ['notifications', 'Notifications'] as const
const ACCESS = ['access', 'Access'] as const
const AUDIT = ['audit', 'Audit'] as const

/** A coordinator may be started after this page was opened. */
const COORDINATOR_MS = 15_000

// D924: the page asks for coordinators, not for workers, to know whether to link to the workers
export function TopBar({ place }: { place: string }) {
  const { value } = usePolledAnswer<{ coordinators: Coordinator[] }>('/services/coordinator', COORDINATOR_MS)
  const { permissions, role, audit } = useContext(SessionContext)
  const isAdmin = useRefusal('read', 'admin') === undefined
  // Where nobody has to sign in, keys count nothing.
  const mayAdmit = role === 'admin' && permissions.length === 3 && METHODS[0] !== ''
  const { mine } = useWaits()
  const places = [
    ['', 'Today', mine.length] as const,
    ...PLACES,
    ...((value?.coordinators?.length ?? 0) > 0 ? [WORKERS] : []),
    ...(NOTIFIES && isAdmin ? [NOTIFICATIONS] : []),
    ...(mayAdmit ? [ACCESS] : []),
    ...(audit ? [AUDIT] : [])
  ]
  const isNarrow = useNarrow()
  return (
    <header class="top">
      <a class="home" href="#/">
        <Mark />
        <span>Troupe</span>
      </a>
      <Views places={places} place={place}>
        {isNarrow && <ZoneChip />}
      </Views>
      <ConnectionMark />
      {!isNarrow && <ZoneChip />}
      <DocsLink />
      <ThemeButton />
      <SignOutButton />
    </header>
  )
}

/** Whether the window has no room for a choice of the zone in the bar. */
function useNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 560px)'))
  const [isNarrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const look = () => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [query])
  return isNarrow
}

/** The connection of the lists; a run has its own. */
function ConnectionMark() {
  const connection = useConnection()
  return connection === undefined ? null : (
    <span class={`connection ${connection}`} role="status">
      {CONNECTION[connection]}
    </span>
  )
}

/** In a tab of its own: a reader is in the middle of something. */
const DocsLink = () =>
  DOCS === '' ? null : (
    <a class="plain round" href={DOCS} target="_blank" rel="noopener" aria-label="Documentation" title="Documentation">
      <Icon name="book" />
    </a>
  )

const THEMES = [
  { theme: undefined, icon: 'half', text: 'Theme: system' },
  { theme: 'light', icon: 'sun', text: 'Theme: light' },
  { theme: 'dark', icon: 'moon', text: 'Theme: dark' }
] as const

function ThemeButton() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme)
  const at = THEMES.findIndex((it) => it.theme === theme)
  const { icon, text } = THEMES[at] ?? THEMES[0]
  const next = () => {
    const chosen = THEMES[(at + 1) % THEMES.length]?.theme
    if (chosen) document.documentElement.dataset.theme = chosen
    else delete document.documentElement.dataset.theme
    localStorage.setItem('troupe.theme', chosen ?? 'system')
    setTheme(chosen)
  }
  return (
    <button type="button" class="plain round" aria-label={text} title={text} onClick={next}>
      <Icon name={icon} />
    </button>
  )
}

function SignOutButton() {
  const { act, isBusy } = useAction()
  if (SIGN_OUT === '' && !hasToken()) return null
  const leave = () =>
    act(async () => {
      forgetToken()
      if (SIGN_OUT !== '') await sendTo(SIGN_OUT, { method: 'POST', body: {}, isOfSession: true })
      // Without a request: a provider with a live session would sign the visitor in again at once.
      askWho()
      return 'You are signed out.'
    })
  return (
    <button type="button" class="plain round" aria-label="Sign out" title="Sign out" disabled={isBusy} onClick={leave}>
      <Icon name="leave" />
    </button>
  )
}

const WORDS: Record<ZoneName, string> = { browser: 'Browser', server: 'Server', utc: 'UTC', definition: 'Definition' }

/** Which time zone times are shown in, and the choice of another one. */
function ZoneChip() {
  const shown = useZone()
  const all = zones()
  const chosen = chosenZone()
  const text = (name: ZoneName) => (name === 'utc' ? WORDS.utc : `${WORDS[name]}: ${all[name] ?? shown}`)
  return (
    <label class="zone" title={`Times are shown in ${shown}`}>
      <span class="unseen">Time zone</span>
      <select
        value={chosen}
        onChange={({ currentTarget }) => chooseZone(currentTarget.value as ZoneName)} // one of the options
      >
        {ZONE_NAMES.filter((name) => name in all || name === chosen).map((name) => (
          <option key={name} value={name}>
            {text(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
