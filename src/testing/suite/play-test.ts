/** Plays one test of a file on an engine of its own. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunView } from '../../engine/engine.ts'
import { messageOf } from '../../errors.ts'
import { instantOf } from '../instant.ts'
import { type StepName, type TestEngine, testEngine } from '../test-engine.ts'
import { type ExpectedOf, type Failure, failuresOf } from './expectations.ts'
import { applyMocks, stepNamed } from './mock-table.ts'
import type { Act, Params, Suite, SuiteTest } from './suite.ts'

/** Where the definitions of a test file are. */
export interface SuiteFiles {
  /** Absolute; that of the tested workflow first. */
  files: readonly string[]
  /** Name of the tested DAG, and of its steps and handlers. */
  dag: string
  steps: readonly string[]
}
export interface PlayedTest {
  name: string
  failures: Failure[]
  /** Every run there was, called ones included, and the states that its steps have been in. */
  runs: PlayedRun[]
}
export interface PlayedRun {
  view: RunView
  /** By step; those of the run itself under an empty name. */
  states: ReadonlyMap<string, ReadonlySet<string>>
}

/** @param place path of the test in its file */
export async function playTest(
  suite: Suite,
  test: SuiteTest,
  place: string,
  { files, dag, steps }: SuiteFiles
): Promise<PlayedTest> {
  const { schedules = false, do: acts } = test
  const timeZone = test.timeZone ?? suite.timeZone ?? 'UTC'
  const now = test.now ?? suite.now
  const seed = test.seed ?? suite.seed
  let at = place
  let engine: TestEngine | undefined
  try {
    engine = await testEngine({
      dags: files,
      timeZone,
      schedules,
      env: { ...suite.env, ...test.env },
      ...(now === undefined ? {} : { now }),
      ...(seed === undefined ? {} : { seed })
    })
    const playing = openPlay(engine, dag, steps, timeZone, test.params ?? suite.params)
    at = `${place}.mocks`
    for (const mocks of [suite.mocks, test.mocks]) if (mocks) applyMocks(engine, mocks, playing.named)
    at = place
    let failures: Failure[] = []
    let mayStart = !schedules && !acts?.some(({ start }) => start !== undefined)
    const start = async () => {
      if (mayStart) await playing.act({ start: null }, place)
      mayStart = false
    }
    for (const [index, act] of (acts ?? []).entries()) {
      if (!isPreparation(act)) await start()
      at = `${place}.do[${index}]`
      failures = failures.concat(await playing.act(act, at))
    }
    at = place
    await start()
    await (acts ? engine.idle() : playing.toTheEnd())
    if (test.expect) failures = failures.concat(playing.expect(test.expect, `${place}.expect`))
    return { name: test.name, failures, runs: playing.runs() }
  } catch (error) {
    return { name: test.name, failures: [{ message: messageOf(error), path: at }], runs: [] }
  } finally {
    await engine?.close()
  }
}

/** Said before the run is started. */
const isPreparation = ({ mock, crash }: Act): boolean => mock !== undefined || crash?.event !== undefined

function openPlay(
  engine: TestEngine,
  dag: string,
  steps: readonly string[],
  timeZone: string,
  params: Params | undefined
) {
  let current: RunKey | undefined
  let started = 0
  const named = (name: string): StepName => stepNamed(dag, steps, name)
  const latest = (): RunKey | undefined => current ?? engine.latest(dag)
  const keyOf = (id: string | undefined): RunKey =>
    id === undefined ? (latest() ?? { name: dag, dagRunId: 'latest' }) : { name: dag, dagRunId: id }
  const about = (): ExpectedOf => {
    const key = latest()
    return {
      engine,
      view: key && engine.run(key),
      named,
      viewOf(step) {
        const name = step.slice(0, step.indexOf('/'))
        if (!key || name === key.name) return key && engine.run(key)
        const sub = engine.subRuns(key).findLast((run) => run.name === name)
        return sub && engine.subRun(key, sub.dagRunId)
      }
    }
  }
  async function act(one: Act, path: string): Promise<Failure[]> {
    if (one.start !== undefined) {
      const { params: own, id, ...place } = one.start ?? {}
      const written = own ?? params
      const dagRunId = id ?? `run-${++started}`
      const asked = { fileName: fileNameOf(engine, dag), dagRunId, ...place }
      const paramsText = typeof written === 'object' ? JSON.stringify(written) : written
      const text = paramsText === undefined ? {} : { params: paramsText }
      current = await engine.start({ ...asked, ...text }).catch((error) => {
        // The test has asked for a crash meanwhile: the run goes on if it was stored.
        if (!engine.record({ name: dag, dagRunId })) throw error
        return { name: dag, dagRunId }
      })
    } else if (one.advance !== undefined) await engine.advance(one.advance)
    else if (one.until !== undefined) await engine.advance(new Date(instantOf(one.until, timeZone, 'until')))
    else if (one.crash !== undefined) {
      const event = one.crash?.event
      await engine.crash(event === undefined ? undefined : { event })
    } else if (one.stop !== undefined) await engine.stop(keyOf(one.stop?.id))
    else if (one.retry !== undefined) {
      const { id, step, downstream } = one.retry ?? {}
      const from = downstream === undefined ? {} : { includeDownstream: downstream }
      current = await engine.retry(keyOf(id), { ...(step === undefined ? {} : { stepName: step }), ...from })
    } else if (one.signal !== undefined) {
      const { step, payload = null, ...options } = one.signal
      await engine.signal({ ...keyOf(undefined), step }, payload, options)
    } else if (one.mock !== undefined) applyMocks(engine, one.mock, named)
    else if (one.expect !== undefined) {
      await engine.idle()
      return failuresOf(one.expect, about(), `${path}.expect`)
    }
    return []
  }
  return {
    named,
    act,
    expect: (expected: NonNullable<SuiteTest['expect']>, path: string) => failuresOf(expected, about(), path),
    async toTheEnd() {
      const key = latest()
      if (key) await engine.untilEnded(key)
      else await engine.idle()
    },
    runs: () =>
      engine.runs({ limit: 100_000 }).flatMap((root) =>
        [root, ...engine.subRuns(root)].flatMap((run) => {
          const view = run === root ? engine.run(root) : engine.subRun(root, run.dagRunId)
          return view ? [{ view, states: statesOf(engine, run) }] : []
        })
      )
  }
}

function statesOf(engine: TestEngine, run: RunKey): PlayedRun['states'] {
  const states = new Map<string, Set<string>>()
  const own = `run/${run.name}/${run.dagRunId}`
  for (const { actor, step = actor === own ? '' : undefined, to } of engine.journal(run, 0, 1_000_000)) {
    if (step === undefined) continue
    states.set(step, (states.get(step) ?? new Set()).add(to))
  }
  return states
}

/** A definition is stored by the name of its file. */
const fileNameOf = (engine: TestEngine, dag: string): string =>
  engine.definitions().find(({ definition }) => definition.name === dag)?.fileName ?? dag
