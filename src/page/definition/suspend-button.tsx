/** Suspends or resumes the schedule of a definition. */
import { pathOf, send } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useAction } from '../parts/notices.tsx'
import { useRefusal } from '../session.ts'

interface Props {
  fileName: string
  isSuspended: boolean
  kind?: string
  onChanged: () => void
}

export function SuspendButton({ fileName, isSuspended, kind = 'small', onChanged }: Props) {
  const { isBusy, act } = useAction(onChanged)
  const refusal = useRefusal('run')
  const toggle = () =>
    act(async () => {
      await send(`/dags${pathOf(fileName)}/suspend`, { method: 'POST', body: { suspend: !isSuspended } })
      onChanged()
      return isSuspended ? `Resumed the schedule of ${fileName}.` : `Suspended the schedule of ${fileName}.`
    })
  return (
    <ActionButton kind={kind} refusal={refusal} isBusy={isBusy} onAct={toggle}>
      {isSuspended ? 'Resume' : 'Suspend'}
      <span class="unseen"> {fileName}</span>
    </ActionButton>
  )
}
