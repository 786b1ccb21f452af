/** Saves the audit log as lines of JSON: what is shown, or with no filter all of it, which `troupe audit verify` then verifies. */
import { hasToken, send, urlOf } from '../api.ts'
import { useAction } from '../parts/notices.tsx'

const FILE = 'troupe-audit.jsonl'

export function SaveButton({ filter }: { filter: string }) {
  const { act, isBusy } = useAction()
  const path = `/audit/export${filter === '' ? '' : `?${filter}`}`
  // A link sends no token; all others need not be held in memory.
  if (!hasToken())
    return (
      <a class="button" href={urlOf(path)} download={FILE}>
        Export
      </a>
    )
  const save = () =>
    act(async () => {
      const address = URL.createObjectURL(await (await send(path)).blob())
      const link = document.createElement('a')
      link.href = address
      link.download = FILE
      link.click()
      URL.revokeObjectURL(address)
      return 'The audit log is exported.'
    })
  return (
    <button type="button" class="button" disabled={isBusy} onClick={save}>
      Export
    </button>
  )
}
