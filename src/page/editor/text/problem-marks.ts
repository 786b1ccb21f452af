/** Problems in the text: asked for while it is typed, marked at their lines, and corrected by one key. */
import { type Action, type Diagnostic, forEachDiagnostic, linter, lintGutter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type Command, type EditorView, keymap } from '@codemirror/view'
import { placeOfFix, rangeOf, type TextProblem } from './found-problems.ts'

/** After the last key. */
const PAUSE_MS = 250

/** Resolves with the problems of a text; undefined: nobody knows, those of before stay. */
export type Check = (text: string) => Promise<readonly TextProblem[] | undefined>

export function problemMarks(check: Check): Extension {
  let known: readonly TextProblem[] = []
  const source = async (view: EditorView): Promise<Diagnostic[]> => {
    const text = view.state.doc.toString()
    known = (await check(text)) ?? known
    return known.flatMap((problem) => diagnosticOf(problem, text, view))
  }
  return [
    linter(source, { delay: PAUSE_MS }),
    lintGutter(),
    keymap.of([
      { key: 'Mod-.', run: fixNearest },
      { key: 'Alt-Enter', run: fixNearest }
    ])
  ]
}

function diagnosticOf(problem: TextProblem, text: string, view: EditorView): Diagnostic[] {
  const { doc } = view.state
  if (problem.line === undefined || problem.line > doc.lines || doc.length !== text.length) return []
  const line = doc.line(problem.line)
  const range = rangeOf(problem, line.text, line.from)
  const actions = problem.fixes.flatMap((fix): Action[] => {
    const place = placeOfFix(fix, text, range)
    if (!place) return []
    return [
      {
        name: `Change to “${fix.meant}”`,
        apply: (target, from) => {
          const now = target.state.doc.toString()
          // The text may have moved since it was checked.
          const at = placeOfFix(fix, now, { from, to: from + range.to - range.from })
          if (!at) return
          target.dispatch({ changes: { ...at, insert: fix.meant }, userEvent: 'input.fix' })
          target.focus()
        }
      }
    ]
  })
  return [{ ...range, severity: problem.isWarning ? 'warning' : 'error', message: problem.message, actions }]
}

/** Corrects the next problem that has a proposal: in the line of the cursor, else below it, else from the top. */
const fixNearest: Command = (view) => {
  const { head } = view.state.selection.main
  const begin = view.state.doc.lineAt(head).from
  const found: { from: number; to: number; action: Action }[] = []
  forEachDiagnostic(view.state, ({ actions = [] }, from, to) => {
    const [action] = actions
    if (action) found.push({ from, to, action })
  })
  const next = found.find(({ from }) => from >= begin) ?? found[0]
  if (!next) return false
  next.action.apply(view, next.from, next.to)
  return true
}
