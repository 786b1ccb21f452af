/** Keeps the text of an open editor in the browser until it is stored. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { atMostEvery } from '../clock.ts'
import { dropDraft, keepDraft, newDraftId } from './drafts.ts'

const PAUSE_MS = 500

interface Kept {
  /** Undefined: nothing is to be kept. */
  text: string | undefined
  revision: string | undefined
}

export interface Keeping {
  /** Notes the text of this moment; undefined: it is what is stored. */
  note: (text: string | undefined, revision: string | undefined) => void
  /** The browser does not keep it. */
  isRefused: boolean
}

export function useDraft(fileName: string): Keeping {
  const id = useRef('')
  if (id.current === '') id.current = newDraftId()
  const latest = useRef<Kept>({ text: undefined, revision: undefined })
  const [isRefused, setRefused] = useState(false)
  const write = useCallback(() => {
    const { text, revision } = latest.current
    if (text === undefined) return dropDraft(fileName, id.current)
    setRefused(!keepDraft(fileName, { id: id.current, text, ...(revision === undefined ? {} : { revision }) }))
  }, [fileName])
  const rarely = useRef<ReturnType<typeof atMostEvery>>(undefined)
  useEffect(() => {
    rarely.current = atMostEvery(PAUSE_MS, write)
    // What was typed last counts when the tab is closed, too.
    addEventListener('pagehide', write)
    return () => {
      removeEventListener('pagehide', write)
      rarely.current?.end()
      write()
    }
  }, [write])
  const note = useCallback(
    (text: string | undefined, revision: string | undefined) => {
      latest.current = { text, revision }
      if (text === undefined) write()
      else rarely.current?.ask()
    },
    [write]
  )
  return { note, isRefused }
}
