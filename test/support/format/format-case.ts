/** A case of fixtures/format as it is in its folder. fixtures/README.md describes the form. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { casesOf } from '../../golden/cases.ts'
import type { Outcome } from './format-outcome.ts'

const CASES = fileURLToPath(new URL('../../../../fixtures/format/', import.meta.url))

/** The input of a run of a case, and what happens to it. */
export interface CaseStart {
  params?: string
  dagRunId?: string
  dagName?: string
  /** Environment of the server beside `SERVER_ENVIRONMENT`; such a case has a separate engine. */
  env?: Record<string, string>
  /** The text is started as an inline spec instead of the file. */
  inline?: boolean
  /** The run is stopped once this file is there, in the case's folder. */
  stopWhen?: string
}

export interface FormatCase {
  name: string
  /** Absolute path of the case's folder. */
  folder: string
  rules: string[]
  title: string
  start: CaseStart
  /** Files beside the definition that its run needs: `base.yaml`, `.env`, schemas, other workflows. */
  extras: string[]
}

const OWN_FILES = ['dag.yaml', 'case.yaml', 'start.json', 'expected.json']

/** Every case, in the order of their names. */
export function formatCases(): FormatCase[] {
  return casesOf('format')
    .toSorted()
    .map((name) => {
      const folder = `${CASES}${name}`
      const { rules, title } = parse(readFileSync(`${folder}/case.yaml`, 'utf8')) as { rules: string[]; title: string }
      const start = existsSync(`${folder}/start.json`)
        ? (JSON.parse(readFileSync(`${folder}/start.json`, 'utf8')) as CaseStart)
        : {}
      const extras = readdirSync(folder).filter((file) => !OWN_FILES.includes(file))
      return { name, folder, rules: rules.map(String), title, start, extras }
    })
}

export const expectedOf = ({ folder }: FormatCase): Outcome =>
  JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')) as Outcome
