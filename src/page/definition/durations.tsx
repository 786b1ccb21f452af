/** How long each step took in the latest runs, and how often it failed. Source: http-api "Definitions" (statistics). */
import type { Durations, Statistics } from '../answers.ts'
import { pathOf } from '../api.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { ColumnHeads } from '../parts/column-heads.tsx'
import { lengthText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'

const RUNS = 50
const HEADS = ['Executions', 'Failures', 'Median', 'p95', 'Latest']

export function DurationTable({ fileName, changes }: { fileName: string; changes: number }) {
  const path = `/dags${pathOf(fileName)}/statistics?runs=${RUNS}`
  const answer = useAnswer<Statistics>(path, changes)
  const { value } = answer
  if (!value) return <AnswerState {...answer} />
  if (value.runs.count === 0) return <p class="soft">No run of this definition has ended.</p>
  return (
    <>
      <p class="soft">Of the latest {RUNS} runs, what was neither skipped nor canceled.</p>
      <table class="list">
        <ColumnHeads of={['Step', ...HEADS]} figures={HEADS} />
        <tbody>
          <Row name="The whole run" seen={value.runs} />
          {value.steps.map(({ name, ...seen }) => (
            <Row key={name} name={name} seen={seen} />
          ))}
        </tbody>
      </table>
    </>
  )
}

const Row = ({ name, seen: { count, failures, p50Ms, p95Ms, latestMs } }: { name: string; seen: Durations }) => (
  <tr>
    <th scope="row">{name}</th>
    <td class="figure" data-label={HEADS[0]}>
      {count}
    </td>
    <td class={`figure ${failures > 0 ? 'grave' : ''}`} data-label={HEADS[1]}>
      {failures}
    </td>
    {[p50Ms, p95Ms, latestMs].map((ms, at) => (
      <td key={at} class="figure" data-label={HEADS[at + 2]}>
        {ms === undefined ? '–' : lengthText(ms)}
      </td>
    ))}
  </tr>
)
