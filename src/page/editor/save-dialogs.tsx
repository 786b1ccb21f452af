/** What is asked before a text is stored: what is different, and what to do when somebody else was first. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import type { EditorFile } from './text/text-editor.ts'
import { Difference } from './text-box.tsx'

interface SaveProps {
  file: EditorFile
  fileName: string
  before: string
  after: string
  isBusy: boolean
  onYes: () => void
  onClose: () => void
}

export const SaveDialog = ({ file, fileName, before, after, isBusy, onYes, onClose }: SaveProps) => (
  <Dialog title={`Save ${fileName}`} yes="Save" isBusy={isBusy} onYes={onYes} onClose={onClose} isWide>
    <p class="soft">What is different from the stored text:</p>
    <Difference file={file} before={before} after={after} label={`Changes of ${fileName}`} />
  </Dialog>
)

/** @param before their text @param after the visitor's */
export const ConflictDialog = (props: SaveProps & { onTake: () => void }) => (
  <Dialog
    title={`Somebody has changed ${props.fileName} meanwhile`}
    yes="Save mine over it"
    isGrave
    isBusy={props.isBusy}
    onYes={props.onYes}
    onClose={props.onClose}
    isWide
  >
    <p>Your text is not stored. What would be different from what they have stored:</p>
    <Difference file={props.file} before={props.before} after={props.after} label="Their text, changed to yours" />
    <p>
      <button type="button" class="button" onClick={props.onTake}>
        Take their text
      </button>{' '}
      <span class="soft">Undo brings yours back.</span>
    </p>
  </Dialog>
)

interface NameProps {
  title: string
  yes: string
  name: string
  isBusy: boolean
  onYes: (name: string) => void
  onClose: () => void
}

/** Asks for the name of a definition. */
export function NameDialog({ title, yes, name, isBusy, onYes, onClose }: NameProps) {
  const [wanted, setWanted] = useState(name)
  return (
    <Dialog title={title} yes={yes} isBusy={isBusy} onYes={() => onYes(wanted.trim())} onClose={onClose}>
      <label class="field">
        Name
        <input
          class="mono"
          value={wanted}
          required
          maxLength={40}
          pattern="[A-Za-z0-9_][A-Za-z0-9_.\-]*"
          title="1 to 40 letters, digits, _ . -, and neither . nor - in front"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      <p class="soft">The file of the definition has this name. Letters, digits, “_”, “.” and “-”.</p>
    </Dialog>
  )
}
