/** The id of a run, by its last characters: the first ones are a time, and those of neighbours are equal. A press copies all of it. */
import { shortId } from '../../text.ts'
import { useCopying } from './copying.ts'

/** @param isInRow there are many: the keyboard passes them by, as the page of each run has its id, too */
export function RunId({ id, isInRow = false }: { id: string; isInRow?: boolean }) {
  const { copy, isBusy } = useCopying(id, 'run ID')
  return (
    <button
      type="button"
      class="run-id"
      title={`${id}\nPress to copy`}
      // Begins with what is seen of it.
      aria-label={`${shortId(id)}: copy the run ID${shortId(id) === id ? '' : ` ${id}`}`}
      tabIndex={isInRow ? -1 : undefined}
      disabled={isBusy}
      onClick={copy}
    >
      {shortId(id)}
    </button>
  )
}
