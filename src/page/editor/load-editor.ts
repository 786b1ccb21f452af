/** Loads the editor's file, once, when it is first wanted. */
import { useEffect, useState } from 'preact/hooks'
import { Refusal, refusalOf } from '../api.ts'
import type { EditorFile } from './text/text-editor.ts'

/** Set by the build: the name of the file. */
declare const EDITOR_FILE: string

let loading: Promise<EditorFile> | undefined

// D923
/** Not an `import()`: browsers send Origin for modules, which a server behind a proxy refuses. */
function loadEditor(): Promise<EditorFile> {
  loading ??= new Promise<EditorFile>((resolve, reject) => {
    const script = document.createElement('script')
    const failed = () => {
      // The next wish tries again.
      loading = undefined
      script.remove()
      reject(new Refusal(0, `The editor cannot be shown: page/${EDITOR_FILE} could not be loaded. Reload the page.`))
    }
    script.addEventListener('load', () => (globalThis.troupeEditor ? resolve(globalThis.troupeEditor) : failed()))
    script.addEventListener('error', failed)
    script.src = `page/${EDITOR_FILE}`
    document.head.append(script)
  })
  return loading
}

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
