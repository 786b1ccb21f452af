/** Of a run that failed: the step that failed first, the last lines that it wrote, and what can be done about it. */
import { seenText } from '../../platform/seen-text.ts'
import type { LogChunk, RunDetails } from '../answers/runs.ts'
import { pathOf } from '../api.ts'
import { changeQuery } from '../route.ts'
import { useAnswer } from '../use-answer.ts'
import { Code } from './facts.tsx'
import type { NodeMoment } from './moment.ts'
import { NodeActions } from './step/node-actions.tsx'

const LINES = 20
/** Of a line; the log has all of it. */
const MOST_SIGNS = 500

interface Props {
  /** Of the run in the API. */
  path: string
  details: RunDetails
  nodes: readonly NodeMoment[]
  onChanged: () => void
}

export function FirstFailure({ path, details, nodes, onChanged }: Props) {
  const failed = nodes.filter(({ label, finishedAt }) => label === 'failed' && finishedAt !== undefined)
  const [first] = failed.sort((one, other) => (one.finishedAt ?? 0) - (other.finishedAt ?? 0))
  return first ? <Card path={path} details={details} node={first} onChanged={onChanged} /> : null
}

type CardProps = Omit<Props, 'nodes'> & { node: NodeMoment }

function Card({ path, details, node, onChanged }: CardProps) {
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
  return (
    <section class="first-failure" aria-label="First failure">
      <h3>First failure: {step}</h3>
      {content !== '' && <Code text={lines.join('\n')} what="last lines" />}
      <div class="buttons">
        <button type="button" class="button small" onClick={() => changeQuery({ step })}>
          Show the step
        </button>
        <button
          type="button"
          class="button small"
          onClick={() => changeQuery({ step, side: isSilent ? 'out' : 'err' })}
        >
          All of its {isSilent ? 'output' : 'errors'}
        </button>
      </div>
      <NodeActions details={details} node={node} isPast={false} onChanged={onChanged} />
    </section>
  )
}
