/** Offers texts that were not saved when they were written. */
import { useState } from 'preact/hooks'
import { exactTime } from '../text.ts'
import { type Draft, draftsOf, dropDraft } from './drafts.ts'

interface Props {
  fileName: string
  /** Revision of the stored text. */
  revision: string | undefined
  onRestore: (draft: Draft) => void
}

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' })

export function DraftOffers({ fileName, revision, onRestore }: Props) {
  const [drafts, setDrafts] = useState(() => draftsOf(fileName))
  const forget = ({ id }: Draft) => {
    dropDraft(fileName, id)
    setDrafts((all) => all.filter((other) => other.id !== id))
  }
  const restore = (draft: Draft) => {
    onRestore(draft)
    forget(draft)
  }
  return (
    <>
      {drafts.map((draft) => (
        <div key={draft.id} class="offer" role="status">
          <p>
            This browser has a text of {DAY.format(draft.at)}, {exactTime(draft.at).slice(0, 8)} that was not saved.
            {revision !== undefined && draft.revision !== revision && ' The stored definition has changed since.'}
          </p>
          <div class="buttons">
            <button type="button" class="button small main" onClick={() => restore(draft)}>
              Restore it
            </button>
            <button type="button" class="button small" onClick={() => forget(draft)}>
              Discard it
            </button>
          </div>
        </div>
      ))}
    </>
  )
}
