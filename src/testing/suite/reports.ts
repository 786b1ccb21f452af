/** The results of test files: as text, TAP (version 14) and JUnit XML. */
import type { Problem } from '../../definition/definition.ts'
import type { Covered } from './coverage.ts'
import type { SuiteResult, TestResult } from './play-suite.ts'

export interface Totals {
  passed: number
  failed: number
  /** Files with problems. */
  unread: number
}
export function totalsOf(results: readonly SuiteResult[]): Totals {
  const tests = results.flatMap(({ tests }) => tests)
  const passed = tests.filter(({ ok }) => ok).length
  return { passed, failed: tests.length - passed, unread: results.filter(({ problems }) => problems.length > 0).length }
}

type Placed = Pick<Problem, 'line' | 'column' | 'message'>
const at = (file: string, { line, column }: Placed): string =>
  [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')
const sentence = (file: string, one: Placed) => `${at(file, one)}: ${one.message}`

export function textReport(results: readonly SuiteResult[]): string {
  const lines = results.flatMap(({ file, problems, tests }) => [
    file,
    ...problems.map((problem) => `  - ${sentence(file, problem)}`),
    ...tests.flatMap(({ name, ok, ms, failures }) => [
      `  ${ok ? '✓' : '✗'} ${name} (${ms} ms)`,
      ...failures.map((failure) => `      ${sentence(file, failure)}`)
    ])
  ])
  const { passed, failed, unread } = totalsOf(results)
  const wrong = unread > 0 ? `, ${unread} ${unread === 1 ? 'file' : 'files'} with problems` : ''
  return [...lines, `${passed} passed, ${failed} failed${wrong}`, ''].join('\n')
}

export function tapReport(results: readonly SuiteResult[]): string {
  const points = results.flatMap(({ file, problems, tests }) => [
    ...(problems.length > 0 ? [{ name: `${file} can be read`, ok: false, failures: problems, file, ms: 0 }] : []),
    ...tests.map((test) => ({ ...test, name: `${file} › ${test.name}`, file }))
  ])
  const lines = points.flatMap(({ name, ok, failures, file, ms }, index) => [
    `${ok ? 'ok' : 'not ok'} ${index + 1} - ${name.replaceAll('\\', '\\\\').replaceAll('#', '\\#')}`,
    '  ---',
    `  duration_ms: ${ms}`,
    ...(ok ? [] : ['  failures:', ...failures.map((failure) => `    - ${JSON.stringify(sentence(file, failure))}`)]),
    '  ...'
  ])
  return ['TAP version 14', `1..${points.length}`, ...lines, ''].join('\n')
}

export function junitReport(results: readonly SuiteResult[]): string {
  const suites = results.map(({ file, problems, tests }) => {
    const cases: Pick<TestResult, 'name' | 'failures' | 'ms'>[] = [
      ...(problems.length > 0 ? [{ name: 'can be read', failures: problems, ms: 0 }] : []),
      ...tests
    ]
    const failed = cases.filter(({ failures }) => failures.length > 0).length
    const bodies = cases.map(({ name, failures, ms }) => {
      const open = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${ms / 1_000}"`
      if (failures.length === 0) return `${open}/>`
      const text = failures.map((failure) => sentence(file, failure)).join('\n')
      return `${open}>\n      <failure message="${xml(failures[0]?.message ?? '')}">${xml(text)}</failure>\n    </testcase>`
    })
    return `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failed}">\n${bodies.join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

/** XML 1.0 has no control characters. */
const xml = (text: string) =>
  text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const KINDS = { step: 'steps', handler: 'handlers', branch: 'branches' } as const

/** What was reached of each DAG, and by name what was not; empty: no test was played. */
export function coverageReport(results: readonly SuiteResult[]): string {
  const all = mergedCoverage(results)
  const dags = [...new Set(all.map(({ dag }) => dag))]
  const lines = dags.flatMap((dag) => {
    const own = all.filter((one) => one.dag === dag)
    const counts = Object.entries(KINDS).flatMap(([kind, plural]) => {
      const of = own.filter((one) => one.kind === kind)
      return of.length > 0 ? [`${of.filter(({ isReached }) => isReached).length} of ${of.length} ${plural}`] : []
    })
    const missed = own.filter(({ isReached }) => !isReached)
    return [`${dag}: ${counts.join(', ')}`, ...missed.map(({ kind, name }) => `  not reached: ${kind} ${name}`)]
  })
  return lines.length === 0 ? '' : ['coverage', ...lines, ''].join('\n')
}

/** Several files may test one workflow. */
export function mergedCoverage(results: readonly SuiteResult[]): Covered[] {
  const merged = new Map<string, Covered>()
  for (const one of results.flatMap(({ coverage }) => coverage)) {
    const key = `${one.dag}/${one.kind}/${one.name}`
    merged.set(key, { ...one, isReached: one.isReached || (merged.get(key)?.isReached ?? false) })
  }
  return [...merged.values()]
}
