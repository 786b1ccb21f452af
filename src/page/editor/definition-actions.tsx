/** What those who may write do with a stored definition: edit, copy, rename, delete. Others do not see it. */
import { useState } from 'preact/hooks'
import { pathOf, send } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { useAction } from '../parts/notices.tsx'
import { Opener } from '../parts/opener.tsx'
import { go, linkTo } from '../route.ts'
import { useRefusal } from '../session.ts'
import { draftsOf, moveDrafts } from './drafts.ts'
import { NameDialog } from './save-dialogs.tsx'

export function DefinitionActions({ fileName }: { fileName: string }) {
  const [asked, setAsked] = useState<'rename' | 'delete'>()
  const { isBusy, act } = useAction()
  if (useRefusal('write') !== undefined) return null
  const path = `/dags${pathOf(fileName)}`
  const close = () => setAsked(undefined)
  const rename = (newFileName: string) =>
    act(async () => {
      await send(`${path}/rename`, { method: 'POST', body: { newFileName } })
      moveDrafts(fileName, newFileName)
      go(linkTo(['definitions', newFileName]))
      return `${fileName} is ${newFileName} now.`
    })
  const remove = () =>
    act(async () => {
      await send(path, { method: 'DELETE' })
      go('#/definitions')
      return `${fileName} is deleted.`
    })
  return (
    <>
      <a class="button" href={linkTo(['definitions', fileName, 'edit'])}>
        Edit
        {draftsOf(fileName).length > 0 && <span class="chip lit">Text not saved</span>}
      </a>
      <Opener kind="menu" button="button" face={<Icon name="more" />} label="More actions" isMenu>
        <a href={linkTo(['new-definition'], { from: fileName })}>Duplicate</a>
        <button type="button" onClick={() => setAsked('rename')}>
          Rename
        </button>
        <button type="button" class="grave" onClick={() => setAsked('delete')}>
          Delete
        </button>
      </Opener>
      {asked === 'rename' && (
        <NameDialog
          title={`Rename ${fileName}`}
          yes="Rename"
          name={fileName}
          isBusy={isBusy}
          onYes={(name) => void rename(name)}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <Dialog
          title={`Delete ${fileName}`}
          yes="Delete"
          isGrave
          isBusy={isBusy}
          onYes={() => void remove()}
          onClose={close}
        >
          <p>The definition and its file are deleted. Its runs and their history stay.</p>
        </Dialog>
      )}
    </>
  )
}
