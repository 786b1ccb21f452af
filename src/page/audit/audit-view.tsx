/** The audit log, for admins: who has changed what, and what was refused; filtered by the server, the newest first. */
import { useEffect, useState } from 'preact/hooks'
import { ask, hasToken, send, urlOf } from '../api.ts'
import { now } from '../clock.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { ColumnHeads } from '../parts/column-heads.tsx'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { useAction } from '../parts/notices.tsx'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import type { AuditEntry, AuditPart } from './entries.ts'
import { EntryRow } from './entry-row.tsx'

const DAY_S = 86_400
const PERIODS: [string, string][] = [
  ['', 'Any time'],
  ['1d', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days']
]
const DAYS: Partial<Record<string, number>> = { '1d': 1, '7d': 7, '30d': 30 }
const OUTCOMES: [string, string][] = [
  ['', 'Any outcome'],
  ['done', 'Done'],
  ['refused', 'Refused or failed']
]
/** Members of the address that are parameters of the API. */
const TEXTS = ['principal', 'operation', 'dag', 'run', 'outcome'] as const
const PART = 100
const MINUTE_S = 60

/** The parameters of the API for what is in the address. */
function filterOf(query: URLSearchParams): URLSearchParams {
  const texts = TEXTS.map((name): [string, string] => [name, query.get(name)?.trim() ?? '']).filter(([, it]) => it)
  const days = DAYS[query.get('period') ?? '']
  // By the minute, so that the address of the answer stays the same for a while.
  const minute = Math.floor(now() / 1_000 / MINUTE_S) * MINUTE_S
  return new URLSearchParams([...texts, ...(days === undefined ? [] : [['from', String(minute - days * DAY_S)]])])
}

// D1465: the page shows what is there when it is asked
export function AuditView({ query }: { query: URLSearchParams }) {
  useEffect(() => {
    setTitle('Audit')
  }, [])
  const filter = filterOf(query).toString()
  const value = (name: string) => query.get(name) ?? ''
  return (
    <>
      <h1>Audit</h1>
      <div class="filters">
        <TextFilter label="Caller" name="principal" value={value('principal')} />
        <TextFilter label="Operation" name="operation" value={value('operation')} />
        <TextFilter label="Definition" name="dag" value={value('dag')} />
        <TextFilter label="Run ID" name="run" value={value('run')} />
        <ChoiceFilter label="Outcome" name="outcome" value={value('outcome')} choices={OUTCOMES} />
        <ChoiceFilter label="Entered" name="period" value={value('period')} choices={PERIODS} />
        <SaveButton filter={filter} />
      </div>
      <Entries key={filter} filter={filter} />
    </>
  )
}

function Entries({ filter }: { filter: string }) {
  const answer = useAnswer<AuditPart>(`/audit?${filter}&limit=${PART}`)
  const { value, refresh } = answer
  const [older, setOlder] = useState<AuditPart>()
  const { act, isBusy } = useAction()
  if (!value) return <AnswerState {...answer} />
  const cursor = older ? older.nextCursor : value.nextCursor
  const entries = [...value.entries, ...(older?.entries ?? [])]
  const load = () =>
    act(async () => {
      const part = await ask<AuditPart>(`/audit?${filter}&limit=${PART}&cursor=${cursor}`)
      setOlder({ ...part, entries: [...(older?.entries ?? []), ...part.entries] })
      return part.nextCursor === null ? `Loaded ${part.entries.length} entries: these are all.` : ''
    })
  const again = () => {
    setOlder(undefined) // what is new would leave a gap
    refresh()
  }
  return (
    <>
      {!value.enabled && (
        <p class="soft">
          Nothing is added: <code>audit.enabled</code> is off on this server.
        </p>
      )}
      {entries.length > 0 ? <EntryTable entries={entries} /> : <Nothing isAll={cursor === null} />}
      <p class="more">
        <button type="button" class="button" onClick={again}>
          Look for new entries
        </button>
        {cursor !== null && (
          <button type="button" class="button" disabled={isBusy} onClick={load}>
            Older entries
          </button>
        )}
      </p>
    </>
  )
}

const Nothing = ({ isAll }: { isAll: boolean }) => (
  <div class="empty">
    <p>{isAll ? 'No matching entries.' : 'No matching entries among the newest.'}</p>
  </div>
)

const EntryTable = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <table class="list audit">
    <ColumnHeads of={['Entry', 'When', 'Caller', 'Operation', 'Outcome']} last="Details" />
    <tbody>
      {entries.map((entry) => (
        <EntryRow key={entry.seq} entry={entry} />
      ))}
    </tbody>
  </table>
)

const FILE = 'troupe-audit.jsonl'

/** Saves the audit log as lines of JSON: what is shown, or with no filter all of it, which `troupe audit verify` then verifies. */
function SaveButton({ filter }: { filter: string }) {
  const { act, isBusy } = useAction()
  const path = `/audit/export${filter === '' ? '' : `?${filter}`}`
  // A link sends no token; all others need not be held in memory.
  if (!hasToken())
    return (
      <a class="button" href={urlOf(path)} download={FILE}>
        Export
      </a>
    )
  const save = () =>
    act(async () => {
      const address = URL.createObjectURL(await (await send(path)).blob())
      const link = document.createElement('a')
      link.href = address
      link.download = FILE
      link.click()
      URL.revokeObjectURL(address)
      return 'The audit log is exported.'
    })
  return (
    <button type="button" class="button" disabled={isBusy} onClick={save}>
      Export
    </button>
  )
}
