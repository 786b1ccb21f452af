/** Of a step that failed: the last lines that it wrote, and what can be done about it. In the panel of the step, and in that of its run. */
import { seenText } from '../../../platform/seen-text.ts'
import type { LogChunk, RunDetails } from '../../answers/runs.ts'
import { pathOf } from '../../api.ts'
import { changeQuery } from '../../route.ts'
import { useAnswer } from '../../use-answer.ts'
import { Code } from '../facts.tsx'
import type { NodeMoment } from '../moment.ts'
import { NodeActions } from '../step/node-actions.tsx'

const LINES = 20
/** Of a line; the log has all of it. */
const MOST_SIGNS = 500

interface Props {
  /** Of the run in the API. */
  path: string
  details: RunDetails
  /** It has failed, in the latest of its attempts. */
  node: NodeMoment
  /** No other step failed before it. */
  isFirst: boolean
  /** It is shown in the panel of the run, from where the step is one press away. */
  isInRun: boolean
  isPast: boolean
  onChanged: () => void
}

export function FailureCard({ path, details, node, isFirst, isInRun, isPast, onChanged }: Props) {
  const step = node.name
  const log = `${path}/steps${pathOf(step)}/log?tail=${LINES}`
  const errors = useAnswer<LogChunk>(`${log}&stream=stderr`)
  const isSilent = errors.value?.lineCount === 0
  // Many programs write their errors to the other stream.
  const output = useAnswer<LogChunk>(isSilent ? `${log}&stream=stdout` : undefined)
  const { content = '' } = (isSilent ? output.value : errors.value) ?? {}
  const lines = seenText(content)
    .split('\n')
    .map((line) => line.slice(0, MOST_SIGNS))
  const title = isFirst ? 'First failure' : 'Failure'
  return (
    <section class="failure-card" aria-label={title}>
      <h3>{isInRun ? `${title}: ${step}` : title}</h3>
      {content !== '' && <Code text={lines.join('\n')} what="last lines" />}
      <div class="buttons">
        {isInRun && (
          <button type="button" class="button small" onClick={() => changeQuery({ step })}>
            Show the step
          </button>
        )}
        <button
          type="button"
          class="button small"
          onClick={() => changeQuery({ step, side: isSilent ? 'out' : 'err' })}
        >
          All of its {isSilent ? 'output' : 'errors'}
        </button>
      </div>
      <NodeActions details={details} node={node} isPast={isPast} onChanged={onChanged} />
    </section>
  )
}
