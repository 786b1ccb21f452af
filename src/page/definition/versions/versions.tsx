/** The texts that a definition has had: when, by whom, in which runs; any two are compared, and any can be restored. */
import type { DefinitionVersion } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { AnswerState } from '../../parts/answer-state.tsx'
import { ColumnHeads } from '../../parts/column-heads.tsx'
import { StatusMark } from '../../parts/icon.tsx'
import { useNow } from '../../parts/now.ts'
import { Time } from '../../parts/time.tsx'
import { changeQuery, linkTo, runLink } from '../../route.ts'
import { useRefusal } from '../../session.ts'
import { markOf, stateText, timeText } from '../../text.ts'
import { useAnswer } from '../../use-answer.ts'
import { TwoTexts } from './two-texts.tsx'

/** In a row. */
const MOST_RUNS = 3

interface Props {
  fileName: string
  /** DAG name. */
  name: string
  query: URLSearchParams
  changes: number
}

export function Versions({ fileName, name, query, changes }: Props) {
  const answer = useAnswer<{ versions: DefinitionVersion[] }>(`/dags${pathOf(fileName)}/versions`, changes)
  if (!answer.value) return <AnswerState {...answer} />
  const { versions } = answer.value
  if (versions.length === 0)
    return (
      <p class="soft">None is known yet: a version is noted when a text is saved, and when it is found in its file.</p>
    )
  const find = (key: string) => versions.findIndex(({ revision }) => revision === query.get(key))
  const after = Math.max(0, find('after'))
  const chosen = find('before')
  const before = chosen < 0 ? Math.min(after + 1, versions.length - 1) : chosen
  return (
    <div class="versions">
      <VersionTable fileName={fileName} name={name} versions={versions} />
      {versions.length > 1 && (
        <TwoTexts fileName={fileName} versions={versions} before={versions[before]} after={versions[after]} />
      )}
    </div>
  )
}

function VersionTable({
  fileName,
  name,
  versions
}: Omit<Props, 'query' | 'changes'> & { versions: DefinitionVersion[] }) {
  const now = useNow(false)
  const mayNot = useRefusal('write')
  return (
    <table class="list">
      <ColumnHeads of={['Version', 'Since', 'By', 'Runs']} last="Actions" />
      <tbody>
        {versions.map(({ number, revision, atMs, by, how, isCurrent, runCount, runs }, at) => (
          <tr key={number}>
            <th scope="row">
              {number} {isCurrent && <span class="chip">Current</span>}
            </th>
            <td data-label="Since" class="at">
              <Time at={atMs} today={now} />
            </td>
            <td data-label="By">{how === 'found' ? 'Found in its file' : (by ?? 'Saved')}</td>
            <td data-label="Runs">
              {runCount === 0 ? <span class="soft">None</span> : runCount}{' '}
              {runs.slice(0, MOST_RUNS).map((run) => {
                const { dagRunId, statusLabel, waitingFor, createdAtMs } = run
                const said = stateText(statusLabel, waitingFor, now)
                return (
                  <a
                    key={dagRunId}
                    class={`bare s-${markOf(run)}`}
                    href={runLink({ name, dagRunId })}
                    title={`${dagRunId}: ${said}, ${timeText(createdAtMs, now)}`}
                  >
                    <StatusMark label={markOf(run)} />
                    <span class="unseen">
                      {said}, {dagRunId}
                    </span>
                  </a>
                )
              })}
            </td>
            <td>
              <div class="buttons">
                {at < versions.length - 1 && (
                  <button
                    type="button"
                    class="button small"
                    onClick={() => changeQuery({ after: revision, before: versions[at + 1]?.revision })}
                  >
                    What changed<span class="unseen"> with version {number}</span>
                  </button>
                )}
                {!isCurrent && mayNot === undefined && (
                  <a class="button small" href={linkTo(['definitions', fileName, 'edit'], { version: revision })}>
                    Restore…<span class="unseen"> version {number}</span>
                  </a>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
