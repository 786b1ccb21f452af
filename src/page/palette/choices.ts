/** What the palette finds: views, definitions, runs, steps of the run that is shown, and what its buttons do. */
import { useEffect, useState } from 'preact/hooks'
import type { ListedDefinition, RunDetails, RunSummary } from '../answers.ts'
import { pathOf } from '../api.ts'
import { after, now } from '../clock.ts'
import { changeQuery, go, linkTo, readRoute, runLink } from '../route.ts'
import { shortId, stateText } from '../text.ts'
import { type Answered, useAnswer } from '../use-answer.ts'

export interface Choice {
  kind: 'Action' | 'View' | 'Definition' | 'Step' | 'Run'
  text: string
  /** The more exact name, such as the id of a run. */
  detail: string
  act: () => void
}

/** Choices of each kind. */
const MOST = 7
/** Nothing is asked while the visitor types. */
const TYPING_MS = 150

/** @param text to look for; empty: what is there without a question @returns also whether more may be found: not all was answered yet */
export function useChoices(text: string): { choices: Choice[]; isAsking: boolean } {
  const wanted = useSettled(text.trim())
  const { parts } = readRoute(location.hash)
  const [place, name = '', dagRunId] = parts
  const isRun = place === 'runs' && dagRunId !== undefined
  const run = useAnswer<{ dagRun: RunDetails }>(isRun ? `/dag-runs${pathOf(name, dagRunId)}` : undefined)
  const query = (more: Record<string, string>) => new URLSearchParams(more).toString()
  const definitions = useAnswer<{ dags: ListedDefinition[] }>(`/dags?${query({ name: wanted, perPage: String(MOST) })}`)
  const byName = useAnswer<{ dagRuns: RunSummary[] }>(`/dag-runs?${query({ name: wanted, limit: String(MOST) })}`)
  const byId = useAnswer<{ dagRuns: RunSummary[] }>(
    wanted === '' ? undefined : `/dag-runs?${query({ dagRunId: wanted, limit: String(MOST) })}`
  )
  const [actions] = useState(actionsHere)
  const [views] = useState(viewsHere)
  const has = (one: string) => one.toLowerCase().includes(text.trim().toLowerCase())
  const runs = new Map(
    [...(byId.value?.dagRuns ?? []), ...(byName.value?.dagRuns ?? [])].map((it) => [it.dagRunId, it])
  )
  const steps = run.value?.dagRun.nodes ?? []
  const isOpen = ({ value, refusal }: Answered<unknown>) => value === undefined && refusal === undefined
  const isAsking = wanted !== text.trim() || [definitions, byName, ...(wanted === '' ? [] : [byId])].some(isOpen)
  const choices = [
    ...actions.filter((action) => has(action.text)),
    ...views.filter((view) => has(view.text)),
    ...steps
      .filter(({ step }) => text !== '' && has(step.name))
      .slice(0, MOST)
      .map(toStep),
    // What was found for fewer letters is still there while the visitor types.
    ...(definitions.value?.dags ?? []).filter(({ dag }) => has(dag.name)).map(toDefinition),
    ...[...runs.values()]
      .filter((it) => has(it.name) || has(it.dagRunId))
      .slice(0, MOST)
      .map(toRun)
  ]
  return { choices, isAsking }
}

const toStep = ({ step: { name }, statusLabel, waitingFor }: RunDetails['nodes'][number]): Choice => ({
  kind: 'Step',
  text: name,
  detail: stateText(statusLabel, waitingFor, now()),
  act: () => changeQuery({ step: name, line: undefined, actor: undefined })
})
const toDefinition = ({ fileName, dag }: ListedDefinition): Choice => ({
  kind: 'Definition',
  text: dag.name,
  detail: dag.description,
  act: () => go(linkTo(['definitions', fileName]))
})
const toRun = (run: RunSummary): Choice => ({
  kind: 'Run',
  text: run.name,
  detail: `${stateText(run.statusLabel, run.waitingFor, now())}, ${shortId(run.dagRunId)}`,
  act: () => go(runLink(run))
})

/** The buttons of the view that can be pressed now. Those of the rows of a list are many, and left out. */
const actionsHere = (): Choice[] =>
  [
    ...document.querySelectorAll<HTMLButtonElement | HTMLAnchorElement>(
      'main .run-head .buttons button, main .views .canvas-buttons button[aria-label="Full screen"], .top button[aria-label^="Theme"], .top a[aria-label]'
    )
  ]
    .filter((button) => !('disabled' in button && button.disabled) && button.getAttribute('aria-disabled') !== 'true')
    .map((button) => ({
      kind: 'Action',
      text: (button.getAttribute('aria-label') ?? button.textContent ?? '').trim(),
      detail: '',
      act: () => button.click()
    }))

/** Views that the bar leads to, also where it has no room for them. */
const viewsHere = (): Choice[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('.top nav > a')].map((link) => ({
    kind: 'View',
    text: link.textContent ?? '',
    detail: '',
    act: () => link.click()
  }))

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => after(TYPING_MS, () => setSettled(text)), [text])
  return settled
}
