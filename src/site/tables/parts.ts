/** Parts of pages that are made of tables of the code: between two marks, as `<!-- flags -->` and `<!-- end -->`. */
import { ERRORS, type ErrorRow } from '../../errors.ts'
import { CAUSES } from '../../inspect/explain/causes.ts'
import { cliParts } from './cli.ts'
import { withSettings } from './configuration.ts'
import { definitionParts } from './definition.ts'
import { metricParts } from './metrics.ts'

const MARKED = /<!-- ([\w:]+) -->\n([\s\S]*?)<!-- end -->/g

const marked =
  (partsOf: () => Map<string, string>) =>
  (text: string): string => {
    const parts = partsOf()
    return text.replace(MARKED, (all, name: string) => {
      const part = parts.get(name)
      return part === undefined ? all : `<!-- ${name} -->\n${part}<!-- end -->`
    })
  }

const FILLED: Record<string, (text: string) => string> = {
  'docs/cli.md': marked(cliParts),
  'docs/definition-format.md': marked(definitionParts),
  'docs/inspect.md': marked(() => new Map([['causes', causesTable()]])),
  'docs/operating/watching.md': marked(metricParts),
  'docs/configuration.md': withSettings,
  'docs/errors.md': () => errorsPage()
}

// D1532: parts made of tables are in `docs/`, and the site takes them from the code nevertheless
/** Pages with such parts. */
export const filledPages = Object.keys(FILLED)

/** A text with these parts as the code has them now. @param source path of the page from the project's folder */
export const filledText = (source: string, text: string): string => FILLED[source]?.(text) ?? text

/** The names of the marks in a text, in their order. */
export const marksIn = (text: string): string[] => Array.from(text.matchAll(MARKED), ([, name = '']) => name)

/** The table of causes in docs/inspect.md. */
const causesTable = (): string =>
  `| cause | why |\n| --- | --- |\n${Object.entries(CAUSES)
    .map(([cause, text]) => `| \`${cause}\` | ${text} |\n`)
    .join('')}`

const errorRows: [string, ErrorRow][] = Object.entries(ERRORS)
const errorTable = errorRows
  .map(([code, { status, means, fix, also = {} }]) => {
    const others = Object.entries(also).map(([other, when]) => ` ${other}: ${when}.`)
    return `| \`${code}\` | ${status} | ${means}${others.join('')} | ${fix} |\n`
  })
  .join('')

/** The whole of docs/errors.md. */
const errorsPage = () => `# Errors: every code, and how to fix it

<!-- Made from src/errors.ts by \`make golden\`. -->

A failed request is answered with an Error object, \`{"code": "...", "message": "...", "details": {...}}\`. The message says what was
wanted and what was found. The command line prints the message on stderr and exits with 1; with \`--json\` it also prints
\`{"error": {"code": "...", "message": "..."}}\` on stdout. In a host application these errors are \`TroupeError\`s with the same \`code\`,
and \`troupe/client\` throws them as \`ApiError\`s.

| Code | HTTP | What it means | How to fix it |
|---|---|---|---|
${errorTable}`
