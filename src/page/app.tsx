/** The frame of every view: session, route, and errors that concern the whole page. */
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { Refusal, releaseRequests, whenUnknown } from './api.ts'
import { TopBar } from './bar/top-bar.tsx'
import { after } from './clock.ts'
import { Later, loadViews } from './later/load-views.tsx'
import { DefinitionList } from './lists/definition-list.tsx'
import { QueueList } from './lists/queue-list.tsx'
import { RunList } from './lists/run-list.tsx'
import { Palette } from './palette/palette.tsx'
import { Notices } from './parts/notices.tsx'
import { type Route, useRoute } from './route.ts'
import { readSession, type Session, SessionContext } from './session.ts'
import { SignIn, SignInAgain } from './sign-in.tsx'
import { TodayView } from './today/today-view.tsx'
import { WithWaits } from './waits/waits.tsx'
import { WorkerList } from './workers/worker-list.tsx'
import { WorkerView } from './workers/worker-view.tsx'
import { useZone } from './zone.ts'

export function App() {
  // An answer of an unexpected shape must not leave a blank page.
  const [defect] = useErrorBoundary((error: unknown) => console.error(error))
  return defect === undefined ? <Frame /> : <Defect error={defect} />
}

/** @param error what was thrown while rendering */
function Defect({ error }: { error: unknown }) {
  return (
    <main class="lonely">
      <div class="problem" role="alert">
        <p>
          This view cannot be shown: {String(error instanceof Error ? error.message : error)}. The server may have
          another version than this page, or another service answers at its address.
        </p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload the page
          </button>
          <a class="button" href=".">
            Go to the start page
          </a>
        </div>
      </div>
    </main>
  )
}

/** What the first view asks for has come by then. */
const IDLE_MS = 1_500

function Frame() {
  const route = useRoute()
  // Texts of times are everywhere: with another zone everything is drawn again.
  useZone()
  const [session, setSession] = useState<Session>()
  const [isUnknown, setUnknown] = useState(false)
  const [fault, setFault] = useState('')
  const known = useRef<string | undefined>(undefined)
  const enter = () => {
    setFault('')
    readSession().then(
      (found) => {
        releaseRequests(known.current === found.name)
        known.current = found.name
        setSession(found)
        setUnknown(false)
      },
      (refusal: unknown) => {
        if (!(refusal instanceof Refusal && refusal.status === 401))
          setFault(String(refusal instanceof Error ? refusal.message : refusal))
      }
    )
  }
  useEffect(() => {
    const unknown = () => setUnknown(true)
    whenUnknown(unknown, () => {
      // Nothing of the earlier visitor stays.
      known.current = undefined
      setSession(undefined)
      unknown()
    })
    enter()
  }, [])
  const isKnown = session !== undefined
  // The next view is most often one of them.
  useEffect(() => (isKnown ? after(IDLE_MS, () => void loadViews().catch(() => {})) : undefined), [isKnown])
  if (!session && isUnknown) return <SignIn onGiven={enter} fault={fault} />
  if (!session)
    return (
      <main class="lonely" aria-busy={fault === ''}>
        {fault !== '' && (
          <div class="problem" role="alert">
            <p>{fault}</p>
            <button type="button" class="button" onClick={enter}>
              Try again
            </button>
          </div>
        )}
      </main>
    )
  return (
    <SessionContext.Provider value={session}>
      {/* The view of another visitor is a new one. */}
      <Notices key={session.name}>
        <button type="button" class="button skip" onClick={toMain}>
          Skip to content
        </button>
        <Palette />
        <WithWaits>
          <TopBar place={placeOf(route)} />
          <main id="main" tabIndex={-1}>
            <View {...route} />
          </main>
        </WithWaits>
      </Notices>
      {isUnknown && <SignInAgain onGiven={enter} fault={fault} />}
    </SessionContext.Provider>
  )
}

/** Not a link: the fragment of the address is the route. */
const toMain = () => document.getElementById('main')?.focus()

/** The entry of the bar on top that a route belongs to. */
const placeOf = ({ parts: [place = ''] }: Route) => (place === 'new-definition' ? 'definitions' : place)

const lineOf = (query: URLSearchParams) => {
  const line = Number(query.get('line'))
  return line > 0 ? { line } : {}
}

function View({ parts, query }: Route) {
  const [place, first, second] = parts
  if (place === undefined) return <TodayView />
  if (place === 'runs' && first !== undefined && second !== undefined)
    return <Later key={`${first}/${second}`} view="RunView" with={{ name: first, dagRunId: second, query }} />
  if (place === 'runs') return <RunList query={query} />
  if (place === 'definitions' && first !== undefined && second === 'edit')
    return (
      <Later
        key={`edit ${first} ${query.get('version') ?? ''}`}
        view="EditView"
        with={{ fileName: first, version: query.get('version') ?? '', ...lineOf(query) }}
      />
    )
  if (place === 'new-definition') {
    const from = query.get('from') ?? ''
    return <Later key={`new ${from}`} view="NewView" with={{ from }} />
  }
  if (place === 'definitions' && first !== undefined)
    return <Later key={first} view="DefinitionView" with={{ fileName: first, query }} />
  if (place === 'definitions') return <DefinitionList query={query} />
  if (place === 'calendar') return <Later view="CalendarView" with={{ query }} />
  if (place === 'queues') return <QueueList />
  if (place === 'workers' && first !== undefined) return <WorkerView key={first} id={first} />
  if (place === 'workers') return <WorkerList query={query} />
  if (place === 'notifications') return <Later view="NotificationsView" with={{ query }} />
  if (place === 'access') return <Later view="AccessView" with={{ query }} />
  if (place === 'audit') return <Later view="AuditView" with={{ query }} />
  if (place === 'machines') return <Later view="MachinesView" with={{ wanted: first }} />
  return (
    <div class="empty">
      <h1>Page not found</h1>
      <a href="#/runs">Runs</a>
    </div>
  )
}
