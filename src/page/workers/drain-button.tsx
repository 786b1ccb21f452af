/** Drains a worker, or lets it take runs again. */
import { pathOf, send } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useAction } from '../parts/notices.tsx'
import { useRefusal } from '../session.ts'

interface Props {
  id: string
  isDraining: boolean
  onChanged: () => void
}

export function DrainButton({ id, isDraining, onChanged }: Props) {
  const { isBusy, act } = useAction(onChanged)
  const refusal = useRefusal('run', 'admin')
  const toggle = () =>
    act(async () => {
      await send(`/workers${pathOf(id)}/drain`, { method: 'POST', body: { drain: !isDraining } })
      onChanged()
      return isDraining ? 'The worker takes runs again.' : 'The worker takes no more runs, and leaves when it has none.'
    })
  return (
    <ActionButton refusal={refusal} isBusy={isBusy} onAct={toggle}>
      {isDraining ? 'Take runs again' : 'Drain'}
    </ActionButton>
  )
}
