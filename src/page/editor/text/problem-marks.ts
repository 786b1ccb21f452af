/** Problems in the text: asked for while it is typed, marked at their lines, and corrected by one key. */
import { type Action, type Diagnostic, forEachDiagnostic, linter, lintGutter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type Command, type EditorView, keymap } from '@codemirror/view'
import { type Fix, placeOfFix, type Range, rangeOf, type TextProblem } from './found-problems.ts'

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

/** Where a problem is in the text of this moment; undefined: it has fewer lines now, or the problem is about the whole. */
function rangeIn({ state: { doc } }: EditorView, problem: TextProblem): Range | undefined {
  if (problem.line === undefined || problem.line > doc.lines) return undefined
  const line = doc.line(problem.line)
  return rangeOf(problem, line.text, line.from)
}

/** @param at where the problem is now */
function correctAt(view: EditorView, at: Range, fix: Fix): void {
  const place = placeOfFix(fix, view.state.doc.toString(), at)
  if (!place) return
  view.dispatch({ changes: { ...place, insert: fix.meant }, userEvent: 'input.fix' })
  view.focus()
}

export function correct(view: EditorView, problem: TextProblem, fix: Fix): void {
  const range = rangeIn(view, problem)
  if (range) correctAt(view, range, fix)
}

function diagnosticOf(problem: TextProblem, text: string, view: EditorView): Diagnostic[] {
  const range = rangeIn(view, problem)
  if (!range || view.state.doc.length !== text.length) return []
  const actions = problem.fixes
    .filter((fix) => placeOfFix(fix, text, range))
    .map(
      (fix): Action => ({
        name: `Change to “${fix.meant}”`,
        // The text may have moved since it was checked.
        apply: (target, from) => correctAt(target, { from, to: from + range.to - range.from }, fix)
      })
    )
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
