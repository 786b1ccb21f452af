/** Asks before a run is stopped, and how. Source: execution-semantics 7.3.6. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'

interface Props {
  name: string
  isBusy: boolean
  /** @param force kills running steps, including handlers */
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
        Its steps receive their stop signal and get time to clean up. The cancel and exit handlers still run to their
        end.
      </p>
      <label class="check">
        <input type="checkbox" checked={isForced} onChange={({ currentTarget }) => setForced(currentTarget.checked)} />
        Kill running steps, including handlers
      </label>
    </Dialog>
  )
}
