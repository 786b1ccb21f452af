/** What is raced for: each scenario is one question with at most one right answer. Source: api-semantics 4.2, 3.3, 3.7, 4.7, 4.8, 5. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from './answers.ts'
import { chaos } from './chaos.ts'
import type { Heat } from './heat.ts'
import { ended, settled } from './settling.ts'

type Scenario = (heat: Heat) => Promise<void>

/** Clients of a scenario that needs many more to take part. */
const some = ({ width }: Heat) => Math.max(4, Math.round(width / 4))
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const done = (answers: readonly Reply[]) => answers.filter(({ isDone }) => isDone).length
const answersIn = (answers: readonly Reply[]) => JSON.stringify([...new Set(answers.map(({ answer }) => answer))])

const define = async ({ send, must }: Heat, name: string, spec: string) =>
  must((await send('create', '/dags', { name, spec })).isDone, `${name} could not be created`)
/** A step that leaves a line in a file of the run's name each time it is executed. */
const marking = ({ folder }: Heat) => `echo ran >>${folder}/mark-$DAG_RUN_ID`
const marks = ({ folder }: Heat, dagRunId: string) => {
  const path = join(folder, `mark-${dagRunId}`)
  return existsSync(path) ? readFileSync(path, 'utf8').length / 'ran\n'.length : 0
}
/** A step that waits for a gate. */
const waiting = ({ folder }: Heat, gate: string) => `while [ ! -e ${folder}/${gate} ]; do sleep 0.02; done`
const openGate = ({ folder }: Heat, gate: string) => writeFileSync(join(folder, gate), '')
const exactly = (heat: Heat, count: number, answers: readonly Reply[], what: string) =>
  heat.must(
    done(answers) === count,
    `${what}: wanted ${count} to be told 200, found ${done(answers)} of ${answersIn(answers)}`
  )

export const scenarios: Record<string, Scenario> = {
  /** P2: no run id is executed as two runs, however it is asked for. */
  async sameId(heat) {
    const { id, send, random, together, width } = heat
    const body = { dagRunId: `${id}-run` }
    const spec = `name: ${id}\nmaxActiveRuns: -1\nsteps: ['${marking(heat)}']`
    await define(heat, id, spec)
    const ways = [
      () => send('start', `/dags/${id}/start`, body),
      () => send('enqueue', `/dags/${id}/enqueue`, body),
      () => send('start', '/dag-runs', { spec, ...body }),
      () => send('enqueue', '/dag-runs/enqueue', { spec, ...body })
    ]
    exactly(heat, 1, await together(times(width, () => random.pick(ways))), 'starts with one id')
    await ended(heat, id, body.dagRunId)
    heat.must(marks(heat, body.dagRunId) === 1, `${body.dagRunId} was executed ${marks(heat, body.dagRunId)} times`)
    heat.saw(id, body.dagRunId)
  },

  /** P13: of parallel starts with `singleton` one wins, whatever maxActiveRuns says. */
  async singleton(heat) {
    const { id, send, together, width } = heat
    await define(heat, id, `maxActiveRuns: -1\nsteps: ['${waiting(heat, id)}']`)
    const answers = await together(times(width, () => () => send('start', `/dags/${id}/start`, { singleton: true })))
    exactly(heat, 1, answers, 'starts with singleton')
    await finish(heat, id, answers)
  },

  /** P13: no more runs than maxActiveRuns at a time. */
  async maxActiveRuns(heat) {
    const { id, send, together, width, random } = heat
    const most = 1 + random.below(4)
    const spec = `name: ${id}\nmaxActiveRuns: ${most}\nsteps: ['${waiting(heat, id)}']`
    await define(heat, id, spec)
    const ways = [() => send('start', `/dags/${id}/start`), () => send('start', '/dag-runs', { spec })]
    const answers = await together(times(width, () => random.pick(ways)))
    exactly(heat, most, answers, `starts with maxActiveRuns ${most}`)
    await finish(heat, id, answers)
  },

  /** 12.7: a bounded enqueue lets in maxActiveRuns runs, and they run one after another in a queue of one slot. */
  async boundedQueue(heat) {
    const { id, send, together, width } = heat
    await define(heat, id, `queue: narrow\nmaxActiveRuns: 3\nsteps: ['${waiting(heat, id)}']`)
    const answers = await together(times(width, () => () => send('enqueue', `/dags/${id}/enqueue`)))
    exactly(heat, 3, answers, 'enqueues into a queue with maxActiveRuns 3')
    await finish(heat, id, answers)
  },

  /** Dequeue against dispatch: a run is taken out once and never executed, or it is executed once. */
  async dequeue(heat) {
    const { id, send, together, folder } = heat
    const [holder, waits] = [`${id}-h`, `${id}-q`]
    const held = `case $DAG_RUN_ID in *-h) while [ ! -e ${folder}/${id} ]; do sleep 0.02; done;; esac`
    await define(heat, id, `steps:\n  - '${marking(heat)}'\n  - '${held}'\n`)
    await send('start', `/dags/${id}/start`, { dagRunId: holder })
    await send('enqueue', `/dags/${id}/enqueue`, { dagRunId: waits })
    const attempts = times(some(heat), () => () => send('dequeue', `/dag-runs/${id}/${waits}/dequeue`))
    const others = times(some(heat), () => () => send('read', `/dag-runs/${id}/${waits}`))
    const [stop, ...rest] = await together([
      () => send('stop', `/dag-runs/${id}/${holder}/stop`),
      ...attempts,
      ...others
    ])
    heat.must(stop?.isDone === true, 'a running run could not be stopped')
    const taken = done(rest.slice(0, attempts.length))
    heat.must(taken <= 1, `one run was taken out ${taken} times`)
    openGate(heat, id)
    await settled(heat)
    const { isDone } = await send('read', `/dag-runs/${id}/${waits}`)
    heat.must(isDone === (taken === 0), `taken out ${taken} times, and it is ${isDone ? 'there' : 'gone'}`)
    heat.must(marks(heat, waits) === 1 - taken, `taken out ${taken} times, executed ${marks(heat, waits)} times`)
    heat.saw(id, holder)
    if (taken === 0) heat.saw(id, waits)
  },

  /** Stop against the end: canceled only by a stop that was acknowledged. */
  async stop(heat) {
    const { id, send, together, random } = heat
    await define(heat, id, `steps: [sleep 0.0${random.below(10)}]`)
    const { json } = await send('start', `/dags/${id}/start`)
    const dagRunId = String(json?.dagRunId)
    if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.below(120)))
    const answers = await together([
      ...times(some(heat), () => () => send('stop', `/dag-runs/${id}/${dagRunId}/stop`)),
      () => send('stopAll', `/dags/${id}/stop-all`)
    ])
    const { statusLabel } = await ended(heat, id, dagRunId)
    const stopped = answers.filter(({ isDone }) => isDone).length
    heat.must(['canceled', 'succeeded'].includes(statusLabel), `a stopped run is ${statusLabel}`)
    heat.must(statusLabel !== 'canceled' || stopped > 0, 'the run is canceled, and no stop was acknowledged')
    heat.saw(id, dagRunId)
  },

  /** 4.7: of retries in place one is let in; of retries with one new id one. */
  async retry(heat) {
    const { id, send, together, folder } = heat
    const step = `[ -e ${folder}/${id}-again ] || exit 1; ${waiting(heat, id)}`
    await define(heat, id, `maxActiveRuns: -1\nsteps: [{name: done, command: 'true'}, {name: s, command: '${step}'}]`)
    const first = `${id}-1`
    await send('start', `/dags/${id}/start`, { dagRunId: first })
    await ended(heat, id, first)
    openGate(heat, `${id}-again`)
    const path = `/dag-runs/${id}/${first}`
    const newId = { dagRunId: `${id}-2` }
    const copies = await together(times(some(heat), () => () => send('retry', `${path}/retry`, newId)))
    exactly(heat, 1, copies, 'retries with one new id')
    const inPlace = times(some(heat), () => () => send('retry', `${path}/retry`))
    const patches = times(some(heat), () => () => send('patch', `${path}/steps/done/status`, { status: 4 }))
    exactly(heat, 1, (await together([...inPlace, ...patches])).slice(0, inPlace.length), 'retries in place')
    openGate(heat, id)
    const run = await ended(heat, id, first)
    heat.must(run.attempt === 2, `a run that was retried once is at attempt ${run.attempt}`)
    await ended(heat, id, newId.dagRunId)
    for (const dagRunId of [first, newId.dagRunId]) heat.saw(id, dagRunId)
  },

  /** 4.8: reschedule is always singleton. */
  async reschedule(heat) {
    const { id, send, together, folder } = heat
    await define(heat, id, `maxActiveRuns: -1\nsteps: ['[ ! -e ${folder}/${id}-again ] || ${waiting(heat, id)}']`)
    const first = `${id}-1`
    await send('start', `/dags/${id}/start`, { dagRunId: first })
    await ended(heat, id, first)
    openGate(heat, `${id}-again`)
    const path = `/dag-runs/${id}/${first}/reschedule`
    const answers = await together(
      times(some(heat), (n) => () => send('reschedule', path, n % 2 ? {} : { dagRunId: `${id}-2` }))
    )
    exactly(heat, 1, answers, 'reschedules')
    await finish(heat, id, answers)
  },

  /** 5: every PATCH of an ended run is taken, and the last one that the journal has is what the run shows. */
  async patch(heat) {
    const { id, send, together, random } = heat
    await define(heat, id, 'steps: [{name: s, command: "true"}]')
    const { json } = await send('start', `/dags/${id}/start`)
    await ended(heat, id, json.dagRunId)
    const path = `/dag-runs/${id}/${json.dagRunId}/steps/s/status`
    const count = some(heat)
    exactly(
      heat,
      count,
      await together(times(count, () => () => send('patch', path, { status: random.below(6) }))),
      'PATCH'
    )
    heat.saw(id, json.dagRunId)
  },

  /** 3.3: a name is created once and deleted once; a success answer is reliable. */
  async definitions(heat) {
    const { id, send, together, random, width } = heat
    const body = { name: id, spec: 'steps: [echo one]' }
    const ways = [
      () => send('create', '/dags', body),
      () => send('remove', `/dags/${id}`),
      () => send('replace', `/dags/${id}/spec`, { spec: 'steps: [echo two]' }),
      () => send('suspend', `/dags/${id}/suspend`, { suspend: random.chance(0.5) })
    ]
    const answers = await together(times(width, () => random.pick(ways)))
    const count = (answer: string) => answers.filter((reply) => reply.answer === answer).length
    const isThere = (await send('read', `/dags/${id}`)).isDone
    const left = count('201') - count('204')
    heat.must(
      left === Number(isThere),
      `${count('201')} created, ${count('204')} deleted, and it is ${isThere ? 'there' : 'gone'}`
    )
    const { json } = await send('read', `/dags?name=${id}`)
    heat.must(json.dags.length === left, `the list shows ${json.dags.length} of ${left}`)
  },

  /** 3.3: one of several renames wins; runs that were started meanwhile are found under the old name or the new one. */
  async rename(heat) {
    const { id, send, together } = heat
    await define(heat, id, 'maxActiveRuns: -1\nsteps: []')
    await send('start', `/dags/${id}/start`, { dagRunId: `${id}-first` })
    const targets = times(some(heat), (n) => `${id}-to${n}`)
    const renames = targets.map((newFileName) => () => send('rename', `/dags/${id}/rename`, { newFileName }))
    const ids = times(some(heat), (n) => `${id}-run${n}z`)
    const starts = ids.map((dagRunId) => () => send('start', `/dags/${id}/start`, { dagRunId }))
    const answers = await together([...renames, ...starts])
    const winners = answers.slice(0, renames.length).flatMap(({ isDone }, n) => (isDone ? [targets[n]] : []))
    heat.must(winners.length <= 1, `renamed ${winners.length} times`)
    await settled(heat)
    const names = [id, ...winners]
    for (const name of [id, ...targets]) {
      const wanted = name === (winners[0] ?? id)
      heat.must(
        (await send('read', `/dags/${name}`)).isDone === wanted,
        `the definition ${name} is ${wanted ? 'lost' : 'there'}`
      )
    }
    const acknowledged = ids.filter((_, n) => answers[renames.length + n]?.isDone)
    for (const dagRunId of [`${id}-first`, ...acknowledged]) {
      const { json } = await send('read', `/dag-runs?dagRunId=${dagRunId}`)
      const [run, ...more] = json.dagRuns
      heat.must(run !== undefined && more.length === 0, `${dagRunId} is there ${json.dagRuns.length} times`)
      heat.must(run === undefined || names.includes(run.name), `${dagRunId} is a run of ${run?.name}`)
      if (run) heat.saw(run.name, dagRunId)
    }
  },

  /** 3.3: of two renames and a creation that want one name one wins, and the losers keep their history. */
  async sameTarget(heat) {
    const { id, send, together } = heat
    const [target, sources] = [`${id}-t`, times(4, (n) => `${id}-s${n}`)]
    for (const name of sources) {
      await define(heat, name, 'steps: []')
      await send('start', `/dags/${name}/start`, { dagRunId: `${name}-run` })
      await ended(heat, name, `${name}-run`)
    }
    const answers = await together([
      ...sources.map((name) => () => send('rename', `/dags/${name}/rename`, { newFileName: target })),
      () => send('create', '/dags', { name: target })
    ])
    exactly(heat, 1, answers, 'renames and a creation of one name')
    for (const [n, name] of sources.entries()) heat.saw(answers[n]?.isDone ? target : name, `${name}-run`)
  },

  chaos
}

/** Opens the gate of what was started, and sees that it ends. */
async function finish(heat: Heat, name: string, answers: readonly Reply[]): Promise<void> {
  openGate(heat, name)
  for (const { isDone, json } of answers) {
    if (!isDone) continue
    await ended(heat, name, json.dagRunId)
    heat.saw(name, json.dagRunId)
  }
}
