/** The logs of the steps of a run: as one, by time, or beside each other. */
import type { JournalEvent, RunDetails } from '../../answers.ts'
import { changeQuery } from '../../route.ts'
import { MergedLogs } from '../merged/merged-logs.tsx'
import type { Moment } from '../moment.ts'
import { LogPanes } from './log-panes.tsx'
import { firstPanes, paneText } from './panes.ts'

interface Props {
  details: RunDetails
  moment: Moment
  events: readonly JournalEvent[]
  /** The run is not over, whatever moment is shown. */
  isGrowing: boolean
  query: URLSearchParams
}

export function LogsView(props: Props) {
  const { details, moment, events, query } = props
  const isBeside = query.has('pane')
  const choice = (text: string, isOn: boolean, onChoose: () => void) => (
    <label class="pressed plain">
      <input type="radio" name="log-kind" checked={isOn} onChange={onChoose} />
      {text}
    </label>
  )
  return (
    <div class="logs">
      <fieldset class="icons">
        <legend class="unseen">Arrangement</legend>
        {choice('By time', !isBeside, () => changeQuery({ pane: undefined, line: undefined }))}
        {choice('Side by side', isBeside, () =>
          changeQuery({ pane: firstPanes(moment.nodes, query.getAll('log')).map(paneText) })
        )}
      </fieldset>
      {isBeside ? (
        <LogPanes details={details} moment={moment} events={events} query={query} />
      ) : (
        <MergedLogs {...props} />
      )}
    </div>
  )
}
