/** In the panel of a run: the answers to those of its steps that wait for a person. */
import type { RunDetails } from '../answers.ts'
import { WaitForm } from '../run/step/wait-form.tsx'

/** More are in the graph. */
const MOST = 5

interface Props {
  details: RunDetails
  now: number
  onChanged: () => void
}

export function RunWaits({ details, now, onChanged }: Props) {
  const asking = details.nodes.flatMap(({ step: { name }, waitingFor }) =>
    waitingFor && waitingFor.for !== 'sleep' ? [{ step: name, waiting: waitingFor }] : []
  )
  return (
    <>
      {asking.slice(0, MOST).map((wait) => (
        <WaitForm key={wait.step} details={details} {...wait} now={now} isInRun onChanged={onChanged} />
      ))}
      {asking.length > MOST && <p class="soft">{asking.length - MOST} more steps wait for an answer.</p>}
    </>
  )
}
