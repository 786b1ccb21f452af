/**
 * The editor of a definition, and the view of what is different between two texts: the part of the page that is loaded when it is wanted.
 * It knows texts and places; what is done with them is decided by the page.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers
} from '@codemirror/view'
import { completion, telling } from './completion.ts'
import type { SchemaNode } from './definition-schema.ts'
import type { Fix, TextProblem } from './found-problems.ts'
import { look } from './look.ts'
import { type Check, correct, problemMarks } from './problem-marks.ts'

/** Set by the build: `docs/definition.schema.json`. */
declare const DEFINITION_SCHEMA: SchemaNode

export interface EditorOptions {
  text: string
  /** The name of the text, for those who do not see it. */
  label: string
  isReadOnly: boolean
  onChange: (text: string) => void
  check: Check
}

export interface TextEditor {
  /** Puts another text in the place of this one; undone like any change. */
  replace(text: string): void
  /** @param line from 1 @param column from 1 */
  jumpTo(line: number, column?: number): void
  /** Puts the word that was meant in the place of the one that was found; nothing happens when it is not there any more. */
  correct(problem: TextProblem, fix: Fix): void
  focus(): void
  end(): void
}

// D1273: the editor lives in a shadow root
/** The policy of the page refuses style elements in its document; in a shadow root, sheets are adopted. */
const rootOf = (host: HTMLElement): ShadowRoot => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

const FULL = { height: '100%' }
/** The words of the search panel, written as everywhere on the page. */
const WORDS = {
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  replace: 'Replace',
  'replace all': 'Replace all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words'
}
/** As high as its lines, up to its place. */
const FITTING = { height: 'auto', maxHeight: 'inherit' }

function openText(host: HTMLElement, options: EditorOptions): TextEditor {
  const { text, label, isReadOnly, onChange, check } = options
  const root = rootOf(host)
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        history(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        yaml(),
        search({ top: true }),
        EditorState.phrases.of(WORDS),
        highlightSelectionMatches(),
        ...(isReadOnly
          ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
          : [completion(DEFINITION_SCHEMA), problemMarks(check)]),
        telling(DEFINITION_SCHEMA),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab
        ]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
          tabindex: '0'
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
        look
      ]
    })
  })
  Object.assign(view.dom.style, FULL)
  return {
    replace(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, selection: { anchor: 0 } })
    },
    jumpTo(line, column = 1) {
      const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
      const anchor = Math.min(found.from + column - 1, found.to)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    correct: (problem, fix) => correct(view, problem, fix),
    focus: () => view.focus(),
    end: () => view.destroy()
  }
}

/** Shows a text with what is different from the one before it; lines that are the same in both are folded. @returns ends it */
function openDifference(host: HTMLElement, before: string, after: string, label: string): () => void {
  const root = rootOf(host)
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(),
        yaml(),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
          highlightChanges: true
        }),
        look
      ]
    })
  })
  Object.assign(view.dom.style, FITTING)
  return () => view.destroy()
}

/** The names that the file makes known to the page that has loaded it. */
export interface EditorFile {
  openText: typeof openText
  openDifference: typeof openDifference
}

declare global {
  var troupeEditor: EditorFile | undefined
}
globalThis.troupeEditor = { openText, openDifference }
