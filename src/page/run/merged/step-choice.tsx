/** Which steps have their logs shown together: all of them, or those that are chosen. */
import { useState } from 'preact/hooks'
import { Check, SearchField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Opener } from '../../parts/opener.tsx'
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
    <Opener
      kind="menu"
      button="button small"
      face={
        <>
          {chosen.length === 0 ? 'All steps' : `${chosen.length} step${chosen.length === 1 ? '' : 's'}`}
          <Icon name="down" size={12} />
        </>
      }
    >
      <fieldset class="step-choice">
        <legend class="unseen">Steps</legend>
        <SearchField label="Find steps to choose" placeholder="Steps" value={wanted} onText={setWanted} />
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
    </Opener>
  )
}
