/** Where a run belongs, and the runs of the same name before and after it. */
import type { RunDetails, RunSummary } from '../answers.ts'
import { pathOf } from '../api.ts'
import { RunId } from '../parts/copy/run-id.tsx'
import { Icon } from '../parts/icon.tsx'
import { linkTo, runLink } from '../route.ts'
import { useAnswer } from '../use-answer.ts'

/** Newest runs of the name among which the neighbours of this one are looked for. */
const MOST_RUNS = 200

export function RunCrumbs({ details, isLive }: { details: RunDetails; isLive: boolean }) {
  const { name, dagRunId, parentDAGRunName, parentDAGRunId } = details
  // Where a definition of that name is stored in a file of the same name: an inline run has none.
  const { value, refusal } = useAnswer<{ dag: { name: string } }>(`/dags${pathOf(name)}`)
  const isStored = value ? value.dag.name === name : !refusal
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      {isStored ? (
        <>
          <a href="#/definitions">Definitions</a>
          <a href={linkTo(['definitions', name])}>{name}</a>
        </>
      ) : (
        <>
          <a href="#/runs">Runs</a>
          <a href={linkTo(['runs'], { name })}>{name}</a>
        </>
      )}
      {parentDAGRunId !== '' && (
        <a href={runLink({ name: parentDAGRunName, dagRunId: parentDAGRunId })}>Called by {parentDAGRunName}</a>
      )}
      <span aria-current="page">
        <RunId id={dagRunId} />
      </span>
      <Neighbours name={name} dagRunId={dagRunId} isLive={isLive} />
    </nav>
  )
}

function Neighbours({ name, dagRunId, isLive }: { name: string; dagRunId: string; isLive: boolean }) {
  const path = `/dag-runs${pathOf(name)}?limit=${MOST_RUNS}`
  const runs = useAnswer<{ dagRuns: RunSummary[] }>(path, String(isLive)).value?.dagRuns ?? []
  const at = runs.findIndex((run) => run.dagRunId === dagRunId)
  // Both have their place where there is no such run, too: who presses one again and again is led on by the same one.
  const link = (run: RunSummary | undefined, text: string, icon: 'left' | 'right') =>
    run ? (
      <a class="plain round" href={runLink(run)} aria-label={text} title={text}>
        <Icon name={icon} />
      </a>
    ) : (
      <span class="plain round" aria-hidden="true">
        <Icon name={icon} />
      </span>
    )
  return (
    <span class="neighbours">
      {link(at < 0 ? undefined : runs[at + 1], 'Previous run', 'left')}
      {link(runs[at - 1], 'Next run', 'right')}
    </span>
  )
}
