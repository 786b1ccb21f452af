/** docs/errors.md, made of the table of errors. */
import { ERRORS, type ErrorRow } from '../../errors.ts'

const rows: [string, ErrorRow][] = Object.entries(ERRORS)
const table = rows
  .map(([code, { status, means, fix, also = {} }]) => {
    const others = Object.entries(also).map(([other, when]) => ` ${other}: ${when}.`)
    return `| \`${code}\` | ${status} | ${means}${others.join('')} | ${fix} |\n`
  })
  .join('')

/** The whole page. */
export const errorsPage = (): string => `# Errors: every code, and how to fix it

<!-- Made from src/errors.ts by \`make golden\`. -->

A failed request is answered with an Error object, \`{"code": "...", "message": "...", "details": {...}}\`. The message says what was
wanted and what was found. The command line prints the message on stderr and exits with 1; with \`--json\` it also prints
\`{"error": {"code": "...", "message": "..."}}\` on stdout. In a host application these errors are \`TroupeError\`s with the same \`code\`,
and \`troupe/client\` throws them as \`ApiError\`s.

| Code | HTTP | What it means | How to fix it |
|---|---|---|---|
${table}`
