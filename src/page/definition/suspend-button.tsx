/** Suspends or resumes the schedule of a definition. */
import { pathOf, send } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useAction } from '../parts/notices.tsx'
import { useRefusal } from '../session.ts'

interface Props {
  fileName: string
  isSuspended: boolean
  /** One of many, in a row: its word is in the title. */
  isIcon?: boolean
  onChanged: () => void
}

export function SuspendButton({ fileName, isSuspended, isIcon = false, onChanged }: Props) {
  const { isBusy, act } = useAction(onChanged)
  const refusal = useRefusal('run')
  const toggle = () =>
    act(async () => {
      await send(`/dags${pathOf(fileName)}/suspend`, { method: 'POST', body: { suspend: !isSuspended } })
      onChanged()
      return isSuspended ? `Resumed the schedule of ${fileName}.` : `Suspended the schedule of ${fileName}.`
    })
  const word = isSuspended ? 'Resume' : 'Suspend'
  return (
    <ActionButton
      kind={isIcon ? 'round plain' : ''}
      title={isIcon ? word : undefined}
      refusal={refusal}
      isBusy={isBusy}
      onAct={toggle}
    >
      {isIcon ? (
        <>
          <Icon name={isSuspended ? 'forward' : 'pause'} />
          <span class="unseen">{word}</span>
        </>
      ) : (
        word
      )}
      <span class="unseen"> {fileName}</span>
    </ActionButton>
  )
}
