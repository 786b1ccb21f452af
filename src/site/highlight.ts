/** Colours of code, as classes: a style in the HTML would be refused by the policy of the server. */
import { createRequire } from 'node:module'
import { escapedText } from './html.ts'

interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  highlight(text: string, options: { language: string }): { value: string }
}

// Not imported: its types would make everything of a browser known everywhere.
const load = createRequire(import.meta.url)
const highlighter: Highlighter = load('highlight.js/lib/core')
const LANGUAGES = ['bash', 'ini', 'json', 'nginx', 'typescript', 'yaml']
for (const name of LANGUAGES) highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`))

/** Names in our pages that are no names there. */
const ALSO: Record<string, string> = { sh: 'bash', js: 'typescript', ts: 'typescript' }

/** @param word the language, as a page names it @returns HTML */
export function highlighted(text: string, word: string): string {
  const language = ALSO[word] ?? word
  return LANGUAGES.includes(language) ? highlighter.highlight(text, { language }).value : escapedText(text)
}
