/** The objects of the API with their members, and a real run that has all of them. */
import { expect } from 'chai'
import { temporaryFolder } from '../homes.ts'
import { type Json, liveApi } from './live-api.ts'

/** A member's rule: its `typeof`, or what it must satisfy. */
type Rule = string | ((value: unknown) => boolean)
type Shape = Record<string, Rule>

/** Each member is there with the right type, and no other but some of those that may be missing. */
export function expectShape(what: string, object: Json, shape: Shape, maybe: Shape = {}): void {
  const there = Object.fromEntries(Object.entries(maybe).filter(([key]) => key in object))
  expect(Object.keys(object).sort(), what).to.deep.equal(Object.keys({ ...shape, ...there }).sort())
  for (const [key, rule] of Object.entries({ ...shape, ...there })) {
    const value = object[key]
    const holds = typeof rule === 'string' ? typeof value === rule : rule(value)
    expect(holds, `${what}.${key} = ${JSON.stringify(value)}`).to.equal(true)
  }
}

/** Rule V1 in the zone of these tests, or rule V2. */
export const time: Rule = (value) => value === '' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/.test(String(value))
export const integer: Rule = (value) => Number.isInteger(value)
export const list: Rule = (value) => Array.isArray(value)
const texts: Rule = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')

/** What is there once it is known. */
export const INSTANTS: Shape = { startedAtMs: integer, finishedAtMs: integer, error: 'string' }
export const SUMMARY: Shape = {
  rootDAGRunName: 'string',
  rootDAGRunId: 'string',
  parentDAGRunName: 'string',
  parentDAGRunId: 'string',
  dagRunId: 'string',
  name: 'string',
  status: integer,
  statusLabel: 'string',
  queuedAt: time,
  startedAt: time,
  finishedAt: time,
  log: 'string',
  params: 'string',
  workerId: 'string',
  attempt: integer,
  trigger: 'object'
}
const nodeOrNull: Rule = (value) => typeof value === 'object'
const DETAILS: Shape = {
  ...SUMMARY,
  error: 'string',
  nodes: list,
  preconditions: list,
  onExit: nodeOrNull,
  onSuccess: nodeOrNull,
  onFailure: nodeOrNull,
  onCancel: nodeOrNull
}
const NODE: Shape = {
  step: 'object',
  stdout: 'string',
  stderr: 'string',
  startedAt: time,
  finishedAt: time,
  status: integer,
  statusLabel: 'string',
  retryCount: integer,
  doneCount: integer,
  subRuns: list,
  subRunsRepeated: list,
  error: 'string'
}
export const CONDITION: Shape = { condition: 'string', expected: 'string', error: 'string' }
export const EVALUATED: Shape = { ...CONDITION, matched: 'boolean' }
export const DAG_SUMMARY: Shape = {
  name: 'string',
  group: 'string',
  description: 'string',
  schedule: list,
  params: texts,
  defaultParams: 'string',
  tags: texts,
  queue: 'string',
  maxActiveRuns: integer,
  nextRun: 'string'
}
export const DAG_DETAILS: Shape = {
  ...DAG_SUMMARY,
  env: texts,
  logDir: 'string',
  handlerOn: 'object',
  steps: list,
  delay: integer,
  histRetentionDays: integer,
  preconditions: list,
  maxActiveSteps: integer,
  runConfig: 'object'
}
/** Of a run that was stopped, that has a folder for logs, that limits its steps. */
const OF_SOME: Shape = { ...INSTANTS, stoppedBy: 'object', nodeLogs: 'string', maxActiveSteps: integer }
const LABELS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'queued', 'partially_succeeded']
const NODE_LABELS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped', 'partially_succeeded']

function expectNode(what: string, node: Json): void {
  expectShape(what, node, NODE, { ...INSTANTS, exitCode: integer })
  expect(node.statusLabel, what).to.equal(NODE_LABELS[node.status])
}

/** Details of a run and all that is in them. */
export function expectRun(run: Json): void {
  const { trigger: _trigger, ...never } = DETAILS
  expectShape('run', run, run.dagRunId === '' ? never : DETAILS, OF_SOME) // nothing asked for a run that never was
  expect(run.statusLabel).to.equal(LABELS[run.status])
  for (const node of run.nodes) expectNode(`node ${node.step.name}`, node)
  for (const kind of ['onExit', 'onSuccess', 'onFailure', 'onCancel']) {
    if (run[kind] === null) continue
    expectNode(kind, run[kind])
    expect(run[kind].step.name).to.equal(kind)
  }
}

/** A server, and a run with a step of every kind once it is `made`; for the tests of a `describe`. */
export function shapesScene() {
  const api = liveApi({ tz: 'Asia/Kolkata' })
  const folder = temporaryFolder()
  const made = async (): Promise<Json> => {
    api.write(
      'shapes',
      `
type: graph
group: tests
description: every shape
tags: B, a, b c
workingDir: ${folder}
env:
  - PLACE: here
params: one NAME="two words"
maxActiveRuns: 3
maxActiveSteps: 4
preconditions:
  - condition: "\`echo yes\`"
    expected: "re:^y"
handlerOn: {success: echo good, failure: echo bad, cancel: "echo off $X", exit: echo bye}
steps:
  - {name: first, id: one, description: the first, command: echo hello "big world", output: GREETING}
  - {name: retried, command: "test -e again || { touch again; exit 7; }", retryPolicy: {limit: 2, intervalSec: 0}}
  - name: skipped
    command: echo no
    preconditions: [{condition: "\${GREETING}", expected: other, error: not today}]
    depends: first
  - {name: a/b ü?, command: [echo, x y, z], depends: one}
  - {name: scripted, script: "echo a\\necho b >&2", dir: ${folder}, stdout: out.txt, depends: [retried, a/b ü?]}
  - {name: fails, command: exit 3, continueOn: {exitCode: 3, markSuccess: true}}
`
    )
    await api.started('shapes', { dagRunId: 'r1', params: 'NAME=three X=5' })
    return await api.ended('shapes', 'r1')
  }
  return { api, folder, get: api.get, made }
}
