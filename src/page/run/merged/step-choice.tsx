/** Which steps have their logs shown together: all of them, or those that are chosen. */
import { useState } from 'preact/hooks'
import { Check } from '../../parts/fields.tsx'
import type { NodeMoment } from '../moment.ts'

/** Others are found by their names. */
const MOST = 40

interface Props {
  nodes: readonly NodeMoment[]
  /** None: all. */
  chosen: readonly string[]
  onChoose: (steps: string[]) => void
}

export function StepChoice({ nodes, chosen, onChoose }: Props) {
  const [wanted, setWanted] = useState('')
  const text = wanted.trim().toLowerCase()
  const able = nodes.filter(
    ({ name, label }) => label !== 'not_started' && label !== 'skipped' && !chosen.includes(name)
  )
  const found = able.filter(({ name }) => name.toLowerCase().includes(text))
  const names = [...chosen, ...found.slice(0, MOST).map(({ name }) => name)]
  return (
    <fieldset class="step-choice">
      <legend class="unseen">Steps</legend>
      {able.length > MOST && (
        <input
          type="search"
          aria-label="Find steps to choose"
          placeholder="Steps"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      {names.map((name) => (
        <Check
          key={name}
          text={name}
          isOn={chosen.includes(name)}
          onChange={(isOn) => onChoose(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))}
        />
      ))}
      {found.length > MOST && <span class="soft">and {found.length - MOST} more</span>}
    </fieldset>
  )
}
