/** The logs of several steps of a run as one, by time. What is chosen is in the address. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { seenText } from '../../../platform/seen-text.ts'
import type { JournalEvent, RunDetails } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { putIntoClipboard } from '../../clipboard.ts'
import { Check, IconButton, SearchField } from '../../parts/fields.tsx'
import { useAction } from '../../parts/notices.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { changeQuery } from '../../route.ts'
import { instant } from '../../text.ts'
import type { Moment } from '../moment.ts'
import { Picked, Row } from './merged-line.tsx'
import { StepChoice } from './step-choice.tsx'
import { useMergedLog } from './use-merged-log.ts'

const ROW_PX = 20
/** The nearest to the end that counts as the end. */
const NEAR_PX = 24
/** Degrees between the colors of two steps: neighbours are far from each other. */
const HUE_STEP = 137

const STREAMS = [
  ['', 'Output and errors'],
  ['stdout', 'Output'],
  ['stderr', 'Errors']
] as const

interface Props {
  details: RunDetails
  moment: Moment
  events: readonly JournalEvent[]
  /** The run is not over, whatever moment is shown. */
  isGrowing: boolean
  query: URLSearchParams
}

export function MergedLogs({ details, moment, events, isGrowing, query }: Props) {
  const steps = query.getAll('log')
  const stream = STREAMS.find(([it]) => it === query.get('stream'))?.[0] ?? ''
  const hues = useMemo(() => new Map(moment.nodes.map(({ name }, at) => [name, (at * HUE_STEP) % 360])), [moment.nodes])
  // A retry writes to other files.
  const key = [details.attempt, stream, ...steps].join(' ')
  const path = `/dag-runs${pathOf(details.name, details.dagRunId)}`
  const { lines, isLoaded, refusal } = useMergedLog(path, steps, stream, isGrowing, key)
  const { at } = moment
  const { act, isBusy } = useAction()
  const [wanted, setWanted] = useState('')
  const [picked, setPicked] = useState<number>()
  const [isFollowing, setFollowing] = useState(at === undefined)
  const room = useRef<HTMLElement>(null)
  const text = wanted.toLowerCase()
  const shown = useMemo(
    () => (text === '' ? lines : lines.filter(({ text: line }) => seenText(line).toLowerCase().includes(text))),
    [lines, text]
  )
  const chosen = picked === undefined ? -1 : shown.findIndex(({ key }) => key === picked)
  const line = shown[chosen]
  useEffect(() => {
    setPicked(undefined)
    setFollowing(at === undefined)
  }, [key])
  useEffect(() => {
    if (at === undefined) return
    // Lines of the same second count as earlier.
    const last = shown.findLast((one) => (instant(one.at) ?? Number.POSITIVE_INFINITY) <= at)
    setFollowing(false)
    setPicked(last?.key)
  }, [at, isLoaded])
  useLayoutEffect(() => {
    const box = room.current?.querySelector('.windowed')
    if (box && isFollowing) box.scrollTop = box.scrollHeight
  }, [shown, isFollowing])
  const copy = () =>
    act(async () => {
      await putIntoClipboard(shown.map((one) => `${one.at} ${one.step} ${seenText(one.text)}`).join('\n'))
      return `Copied ${shown.length} lines.`
    })
  const dropped = lines[0]?.key ?? 0
  return (
    <section ref={room} class="log merged" aria-label="All logs">
      <div class="log-tools">
        <StepChoice nodes={moment.nodes} chosen={steps} onChoose={(log) => changeQuery({ log })} />
        <label class="field">
          <span class="unseen">Streams</span>
          <select value={stream} onChange={({ currentTarget }) => changeQuery({ stream: currentTarget.value })}>
            {STREAMS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <SearchField label="Lines with" placeholder="Lines with" value={wanted} onText={setWanted} />
        <span class="soft" role="status">
          {text === '' ? `${shown.length} lines` : `${shown.length} of ${lines.length} lines`}
          {dropped > 0 && `; the ${dropped} before them are in the logs of the steps`}
        </span>
        <span class="icons">
          <Check icon="follow" text="Follow" isOn={isFollowing} onChange={setFollowing} />
          <IconButton icon="copy" text="Copy" isOff={isBusy || shown.length === 0} onAct={copy} />
        </span>
      </div>
      <Problem refusal={refusal} />
      {lines.length === 0 ? (
        <p class="soft nothing">{!isLoaded ? '…' : isGrowing ? 'Nothing yet.' : 'Nothing was written.'}</p>
      ) : (
        <Windowed
          label="Lines by time"
          of={shown}
          rowPx={ROW_PX}
          chosen={chosen}
          onChoose={({ key }) => {
            setFollowing(false)
            setPicked(key)
          }}
          onScroll={(box) => {
            const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
            if (isAtEnd !== isFollowing) setFollowing(isAtEnd)
          }}
          idOf={({ key }) => `merged-${key}`}
          row={(one, index) => (
            <Row
              key={one.key}
              line={one}
              hue={hues.get(one.step) ?? 0}
              text={text}
              isChosen={index === chosen}
              onChoose={() => setPicked(one.key)}
            />
          )}
        />
      )}
      {line && <Picked line={line} events={events} />}
    </section>
  )
}
