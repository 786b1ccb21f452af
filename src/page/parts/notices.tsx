/** The result of an action: a line at the foot of the page that a screen reader reads out once. */
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useRef, useState } from 'preact/hooks'
import { after } from '../clock.ts'
import { sentence } from '../text.ts'
import { LongText } from './long-text.tsx'

interface Notice {
  id: number
  kind: 'done' | 'failed'
  text: string
}
const DONE_MS = 5_000

type Notify = (kind: Notice['kind'], text: string) => void
const NotifyContext = createContext<Notify>(() => {})
export const useNotify = (): Notify => useContext(NotifyContext)

export function Notices({ children }: { children: ComponentChildren }) {
  const [notices, setNotices] = useState<Notice[]>([])
  const count = useRef(0)
  const drop = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), [])
  const notify = useCallback<Notify>(
    (kind, text) => {
      const id = ++count.current
      setNotices((all) => [...all.slice(-2), { id, kind, text }])
      // A failure stays until it has been read.
      if (kind === 'done') after(DONE_MS, () => drop(id))
    },
    [drop]
  )
  return (
    <NotifyContext.Provider value={notify}>
      {children}
      <div class="notices" role="status" aria-live="polite">
        {notices.map(({ id, kind, text }) => (
          <div key={id} class={`notice ${kind}`}>
            <div>
              <LongText text={sentence(text)} label="Message" />
            </div>
            <button type="button" class="plain" aria-label="Close this message" onClick={() => drop(id)}>
              ×
            </button>
          </div>
        ))}
      </div>
    </NotifyContext.Provider>
  )
}

/**
 * An action of the visitor: sends the request and shows its result; a second one cannot begin meanwhile.
 * `what` resolves with what is said; an empty text: the page shows by itself what has come of it.
 * @param onRefused called when it failed, because the page may be out of date
 */
export function useAction(onRefused?: () => void): {
  isBusy: boolean
  act: (what: () => Promise<string>) => Promise<boolean>
} {
  const notify = useNotify()
  const [isBusy, setBusy] = useState(false)
  const act = useCallback(
    async (what: () => Promise<string>) => {
      setBusy(true)
      try {
        const done = await what()
        if (done !== '') notify('done', done)
        return true
      } catch (error) {
        notify('failed', error instanceof Error ? error.message : String(error))
        onRefused?.()
        return false
      } finally {
        setBusy(false)
      }
    },
    [notify, onRefused]
  )
  return { isBusy, act }
}
