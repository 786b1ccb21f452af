/** The graph of a text that is being typed, and its problems. A step that is chosen, or a problem, is found in the text. */
import { useState } from 'preact/hooks'
import type { DagDetails } from '../answers.ts'
import { DagView, graphKeyOf } from '../run/graph/dag-view.tsx'
import type { Fix, TextProblem } from './text/found-problems.ts'

export function LiveGraph({ dag, onStep }: { dag: DagDetails | undefined; onStep: (name: string) => void }) {
  const [selected, setSelected] = useState<string>()
  if (!dag)
    return (
      <div class="live-graph">
        <p class="soft">The graph is drawn as soon as there are steps.</p>
      </div>
    )
  const nodes = dag.steps.map(({ name, depends = [], call, executor, cmdWithArgs = '' }) => ({
    name,
    depends,
    isHandler: false,
    detail: call ? `Calls ${call}` : executor ? executor.type : cmdWithArgs
  }))
  return (
    <div class="live-graph">
      <DagView
        nodes={nodes}
        graphKey={graphKeyOf(dag.steps)}
        selected={selected}
        onSelect={setSelected}
        onOpen={(name) => {
          setSelected(name)
          onStep(name)
        }}
      />
    </div>
  )
}

interface ProblemProps {
  problems: readonly TextProblem[] | undefined
  onChoose: (problem: TextProblem) => void
  onFix: (problem: TextProblem, fix: Fix) => void
}

export function ProblemList({ problems, onChoose, onFix }: ProblemProps) {
  const count = problems?.filter(({ isWarning }) => !isWarning).length ?? 0
  const said =
    problems === undefined ? 'Checking…' : count === 0 ? 'No problems' : `${count} problem${count > 1 ? 's' : ''}`
  return (
    <section class="found" aria-label="Problems">
      <p class={`found-count ${count > 0 ? 'bad' : ''}`} role="status">
        {said}
      </p>
      {problems !== undefined && problems.length > 0 && (
        <ul>
          {problems.map((problem, at) => (
            <li key={at} class={problem.isWarning ? 'warning' : 'bad'}>
              {problem.line === undefined ? (
                <span>{problem.message}</span>
              ) : (
                <button type="button" class="link" onClick={() => onChoose(problem)}>
                  Line {problem.line}: {problem.message}
                </button>
              )}
              {problem.fixes.map((fix) => (
                <button key={fix.meant} type="button" class="button small" onClick={() => onFix(problem, fix)}>
                  Change to “{fix.meant}”
                </button>
              ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
