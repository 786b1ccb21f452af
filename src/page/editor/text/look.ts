/** How the text looks, in the colors of the page: its properties are known within the shadow root, its rules are not. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const MONO = 'var(--mono)'

// D1274: problems in the editor are marked without images
/** Images of a `data:` address are refused by the policy of the page: its marks are drawn by other means. */
const marks = (color: string) => ({
  backgroundImage: 'none',
  textDecoration: `underline wavy ${color}`,
  textDecorationSkipInk: 'none',
  textUnderlineOffset: '3px'
})
const gutterMark = (color: string) => ({ content: 'normal', background: color })

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--paper)', color: 'var(--ink)', fontSize: 'var(--small)', height: '100%' },
  '&.cm-focused, .cm-content, .cm-scroller': { outline: 'none' },
  '.cm-scroller': { fontFamily: MONO, lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)'
  },
  '.cm-gutters': { backgroundColor: 'var(--paper)', border: '0', color: 'var(--soft)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '34px', padding: '0 8px 0 4px', fontSize: 'var(--tiny)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--well) 55%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', color: 'inherit' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--queued) 30%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--queued) 60%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--well)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search': { padding: '8px', fontSize: 'var(--small)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--small)' },
  '.cm-textfield': {
    minHeight: '30px',
    padding: '3px 8px',
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--strong-line)',
    borderRadius: 'var(--r)',
    color: 'inherit',
    fontSize: 'var(--small)'
  },
  '.cm-button': {
    minHeight: '30px',
    padding: '3px 10px',
    background: 'var(--paper)',
    border: '1px solid var(--strong-line)',
    borderRadius: 'var(--r)',
    color: 'inherit',
    fontSize: 'var(--small)'
  },
  '.cm-panel.cm-search [name=close]': { color: 'inherit', fontSize: 'var(--large)' },
  '.cm-tooltip': {
    maxWidth: 'min(460px, 88vw)',
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-large)',
    boxShadow: 'var(--shadow)',
    color: 'var(--ink)',
    fontFamily: 'var(--sans)',
    fontSize: 'var(--small)',
    lineHeight: '1.4'
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: MONO, maxHeight: '15em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px', fontSize: 'var(--small)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--accent-ink)' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--bold)' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px' },
  '.cm-tooltip-lint': { padding: '4px' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeftWidth: '3px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--queued)' },
  '.cm-diagnosticAction': {
    padding: '4px 10px',
    margin: '6px 0 2px',
    marginLeft: '0',
    backgroundColor: 'var(--accent)',
    borderRadius: 'var(--r)',
    color: 'var(--on-accent)',
    fontSize: 'var(--small)',
    display: 'block'
  },
  '.cm-lintRange-error': marks('var(--bad)'),
  '.cm-lintRange-warning': marks('var(--queued)'),
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-soft)' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '6px 0 0 4px' },
  '.cm-lint-marker': { width: '8px', height: '8px', borderRadius: '50%' },
  '.cm-lint-marker-error': gutterMark('var(--bad)'),
  '.cm-lint-marker-warning': gutterMark('var(--queued)'),
  '.cm-told': { padding: '8px 12px' },
  '.cm-told b': { fontFamily: MONO, fontSize: 'var(--small)' },
  '.cm-told p': { margin: '4px 0 0' },
  '.cm-told .cm-soft': { color: 'var(--soft)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': {
    backgroundColor: 'color-mix(in srgb, var(--good) 13%, transparent)'
  },
  '.cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'color-mix(in srgb, var(--good) 26%, transparent)'
  },
  '.cm-deletedChunk, &.cm-merge-b .cm-deletedChunk': {
    backgroundColor: 'color-mix(in srgb, var(--bad) 11%, transparent)'
  },
  '.cm-deletedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 24%, transparent)'
  },
  '.cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-deletedLineGutter': { background: 'var(--bad)' },
  '.cm-collapsedLines': {
    padding: '4px 12px',
    background: 'var(--well)',
    color: 'var(--soft)',
    fontFamily: 'inherit',
    fontSize: 'var(--tiny)'
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '""' }
})

const colors = HighlightStyle.define([
  {
    tag: [tags.propertyName, tags.definition(tags.propertyName)],
    color: 'var(--accent-ink)',
    fontWeight: 'var(--bold)'
  },
  { tag: [tags.string, tags.attributeValue], color: 'var(--good)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.meta], color: 'var(--canceled)' },
  { tag: [tags.separator, tags.punctuation, tags.bracket, tags.squareBracket, tags.brace], color: 'var(--soft)' }
])

export const look = [theme, syntaxHighlighting(colors)]
