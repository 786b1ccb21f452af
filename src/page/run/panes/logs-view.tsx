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
  const beside = () => changeQuery({ pane: firstPanes(moment.nodes, query.getAll('log')).map(paneText) })
  return (
    <>
      <fieldset class="log-kind">
        <legend class="unseen">Arrangement</legend>
        <label class="check">
          <input
            type="radio"
            name="log-kind"
            checked={!isBeside}
            onChange={() => changeQuery({ pane: undefined, line: undefined })}
          />
          By time
        </label>
        <label class="check">
          <input type="radio" name="log-kind" checked={isBeside} onChange={beside} />
          Side by side
        </label>
      </fieldset>
      {isBeside ? (
        <LogPanes details={details} moment={moment} events={events} query={query} />
      ) : (
        <MergedLogs {...props} />
      )}
    </>
  )
}
