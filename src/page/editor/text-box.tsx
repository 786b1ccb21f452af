/** The place of the editor in the page; its text is its own, and is told of. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { EditorFile, EditorOptions, TextEditor } from './text/text-editor.ts'

interface Props extends EditorOptions {
  file: EditorFile
  /** Called with the editor when it is there, and with undefined when it is gone. */
  onReady: (editor: TextEditor | undefined) => void
}

/** `text` and `isReadOnly` count when it opens: a later text comes by `replace`. */
export function TextBox({ file, onReady, ...options }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(options)
  latest.current = options
  useLayoutEffect(() => {
    if (!host.current) return
    const editor = file.openText(host.current, {
      ...options,
      onChange: (text) => latest.current.onChange(text),
      check: (text) => latest.current.check(text)
    })
    onReady(editor)
    return () => {
      onReady(undefined)
      editor.end()
    }
  }, [file])
  return <div ref={host} class="text-box" />
}

interface DifferenceProps {
  file: EditorFile
  before: string
  after: string
  label: string
}

export function Difference({ file, before, after, label }: DifferenceProps) {
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () => (host.current ? file.openDifference(host.current, before, after, label) : undefined),
    [file, before, after, label]
  )
  return <div ref={host} class="text-box difference" />
}
