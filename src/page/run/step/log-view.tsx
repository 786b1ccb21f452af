/** The log of a step or run, of any length: searched, followed, linked to by line, downloaded. Its content is only ever text. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../../parts/problem.tsx'
import { changeQuery, readRoute } from '../../route.ts'
import { lineAt, secondOf } from './line-times.ts'
import { LogBox, type LogPlace } from './log-box.tsx'
import { LogTools } from './log-tools.tsx'
import { useLog } from './use-log.ts'
import { useSearch } from './use-search.ts'

export interface LogProps {
  /** Path of the log in the API. */
  path: string
  /** Empty: it has only one. */
  stream: string
  /** The attempt of the run whose log it is; absent: the log is of the run as a whole. */
  attempt?: number
  /** The writer of the log is still running. */
  isGrowing: boolean
  label: string
  /** The pane of several that are shown at once, as the address has it; absent: that of the panel. */
  pane?: string
  /** Epoch ms of the moment that is shown: the log is at its last line before it. Undefined: now. */
  moment: number | undefined
  /** Travels to when a line was written. @param second epoch ms @returns members of the address */
  onLine: (second: number) => { at: string } | undefined
}

const WRAP = 'troupe.wrap'
/** In the address; for all logs that are shown. */
const REGEX = 'regex'

export function LogView({ path, stream, attempt, isGrowing, label, pane = '', moment, onLine }: LogProps) {
  const log = useLog(path, stream, isGrowing, attempt)
  const { lines, isLoaded, refusal } = log
  const [place, setPlace] = useState<LogPlace>(() => placeInAddress(pane))
  const [isWrapped, setWrapped] = useState(() => localStorage.getItem(WRAP) !== 'no')
  const [wanted, setWanted] = useState('')
  const [found, setFound] = useState(-1)
  const room = useRef<HTMLElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const isRegex = readRoute(location.hash).query.has(REGEX)
  // In an expression, `\D` is the opposite of `\d`.
  const text = isRegex ? wanted : wanted.toLowerCase()
  const finds = useSearch(path, stream, { text, isRegex, total: lines.total })
  useEffect(() => setFound(-1), [text, isRegex])
  const isFollowing = place.line === undefined
  const { line } = placeInAddress(pane)
  const goTo = (next: number | undefined) => setPlace((before) => ({ line: next, asked: before.asked + 1 }))
  const find = (direction: 1 | -1) => {
    if (finds.lines.length === 0) return
    const next = (found + direction + finds.lines.length + (found < 0 && direction < 0 ? 1 : 0)) % finds.lines.length
    setFound(next)
    goTo(finds.lines[next])
  }
  const [then, setThen] = useState<number>()
  /** The line in the address that the log is at already. */
  const own = useRef(line)
  useEffect(() => {
    if (line !== undefined && line !== own.current) goTo(line)
    own.current = line
  }, [line])
  const isByMoment = moment !== undefined && line === undefined
  useEffect(() => {
    if (!isByMoment) return setThen(undefined)
    const ended = new AbortController()
    lineAt(path, stream, moment, ended.signal).then(
      (last) => {
        if (ended.signal.aborted) return
        setThen(last)
        if (last !== undefined) goTo(Math.max(0, last))
      },
      () => {} // the log itself says what is wrong
    )
    return () => ended.abort()
  }, [moment, isByMoment, path, stream])
  const choose = async (number: number) => {
    const second = await secondOf(path, stream, number, new AbortController().signal).catch(() => undefined)
    own.current = number
    changeQuery({ line: String(number + 1), of: pane, ...(second === undefined ? {} : onLine(second)) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey)
    if (!isFind && event.key !== 'F3') return
    // The browser would find what is drawn only.
    event.preventDefault()
    if (event.key === 'F3' && text !== '') find(event.shiftKey ? -1 : 1)
    else search.current?.focus()
  }
  return (
    <section
      ref={room}
      class={`log ${isWrapped ? 'wrapped' : ''}`}
      aria-label={`${label}, with search`}
      onKeyDown={onKeyDown}
    >
      <Problem refusal={refusal} />
      {lines.total === 0 ? (
        !refusal && <p class="soft">{isLoaded ? (isGrowing ? 'Nothing yet.' : 'The log is empty.') : '…'}</p>
      ) : (
        <>
          <LogTools
            path={path}
            stream={stream}
            total={lines.total}
            room={room}
            search={search}
            wanted={wanted}
            onWanted={setWanted}
            isRegex={isRegex}
            onRegex={(isOn) => changeQuery({ [REGEX]: isOn ? 'yes' : undefined }, 'replace')}
            finds={finds}
            found={found}
            onFind={find}
            isFollowing={isFollowing}
            onFollow={(isOn) => goTo(isOn ? undefined : Math.max(0, lines.total - 1))}
            isWrapped={isWrapped}
            onWrap={(isOn) => {
              localStorage.setItem(WRAP, isOn ? 'yes' : 'no')
              setWrapped(isOn)
            }}
          />
          <LogBox
            log={log}
            label={label}
            place={place}
            onPlace={setPlace}
            isLive={isGrowing && isFollowing}
            isWrapped={isWrapped}
            chosen={then ?? line}
            found={finds.lines[found]}
            text={isRegex ? '' : text}
            matches={isRegex ? finds.lines : NO_LINES}
            onChoose={(number) => void choose(number)}
          />
        </>
      )}
    </section>
  )
}

const NO_LINES: readonly number[] = []

// D1332: of logs that are side by side, the address has one linked line
/** Lines in the address count from 1. With several logs it names the one that the line is of. */
function placeInAddress(pane: string): LogPlace {
  const { query } = readRoute(location.hash)
  const line = Number((query.get('of') ?? '') === pane ? query.get('line') : 0)
  return { line: Number.isInteger(line) && line > 0 ? line - 1 : undefined, asked: 0 }
}
