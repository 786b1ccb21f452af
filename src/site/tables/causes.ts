/** The table of causes in docs/inspect.md. */
import { CAUSES } from '../../inspect/explain/causes.ts'

export const causesTable = (): string =>
  `| cause | why |\n| --- | --- |\n${Object.entries(CAUSES)
    .map(([cause, text]) => `| \`${cause}\` | ${text} |\n`)
    .join('')}`
