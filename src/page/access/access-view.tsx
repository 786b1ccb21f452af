/** Access: API keys, and people who are signed in. For admins. */
import { useEffect } from 'preact/hooks'
import { Tabs } from '../parts/tabs.tsx'
import { changeQuery } from '../route.ts'
import { setTitle } from '../title.ts'
import { KeyList } from './key-list.tsx'
import { SessionList } from './session-list.tsx'

const TABS = [
  ['keys', 'Keys'],
  ['sessions', 'Sessions']
] as const

export function AccessView({ query }: { query: URLSearchParams }) {
  const chosen = query.get('tab') === 'sessions' ? 'sessions' : 'keys'
  useEffect(() => {
    setTitle('Access')
  }, [])
  return (
    <>
      <h1>Access</h1>
      <Tabs
        label="Access"
        names={TABS}
        chosen={chosen}
        onChoose={(tab) => changeQuery({ tab: tab === 'keys' ? undefined : tab })}
      >
        {chosen === 'keys' ? <KeyList /> : <SessionList />}
      </Tabs>
    </>
  )
}
