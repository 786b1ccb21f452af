/** Loads the editor's file, once, when it is first wanted. */
import { useEffect, useState } from 'preact/hooks'
import { type Refusal, refusalOf } from '../api.ts'
import { fileLoader } from '../later/load-file.ts'
import type { EditorFile } from './text/text-editor.ts'

/** Set by the build: the name of the file. */
declare const EDITOR_FILE: string

const loadEditor = fileLoader(EDITOR_FILE, () => globalThis.troupeEditor, 'The editor')

/** The editor's file, or why there is none; neither while it is loading. */
export function useEditorFile(): { file?: EditorFile; refusal?: Refusal; retry: () => void } {
  const [state, setState] = useState<{ file?: EditorFile; refusal?: Refusal }>({})
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isWanted = true
    loadEditor().then(
      (file) => isWanted && setState({ file }),
      (error: unknown) => isWanted && setState({ refusal: refusalOf(error) })
    )
    return () => {
      isWanted = false
    }
  }, [tries])
  return { ...state, retry: () => setTries((count) => count + 1) }
}
