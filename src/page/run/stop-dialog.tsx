/** Asks before a run is stopped, and how. Source: execution-semantics 7.3.6. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'

interface Props {
  name: string
  isBusy: boolean
  /** @param force what is running is killed, handlers included */
  onStop: (force: boolean) => void
  onClose: () => void
}

export function StopDialog({ name, isBusy, onStop, onClose }: Props) {
  const [isForced, setForced] = useState(false)
  return (
    <Dialog
      title={`Stop ${name}?`}
      yes={isForced ? 'Kill the run' : 'Stop the run'}
      isGrave
      isBusy={isBusy}
      onClose={onClose}
      onYes={() => onStop(isForced)}
    >
      <p>
        Its steps get their stop signal, and time to clean up. Cancel and exit handlers run; no stop cuts them short.
      </p>
      <label class="check">
        <input type="checkbox" checked={isForced} onChange={({ currentTarget }) => setForced(currentTarget.checked)} />
        Kill what is running, handlers included
      </label>
    </Dialog>
  )
}
