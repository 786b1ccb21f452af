/** Steps of 2.x that decide about others: an approval after a step, and a router. */
import { isMap, isSeq } from 'yaml'
import { drop, type Entry, entryOf, mapIn, nameOf, type Pen, put, scalarText, textIn, type YamlMap } from './pen.ts'
import { settingsIn } from './quoted.ts'
import { stepsIn } from './release.ts'
import { eachStep, listed } from './spread.ts'

/** The name of a step, else the id. */
const calledOf = (step: YamlMap): string | undefined => textIn(entryOf(step, 'name')) ?? textIn(entryOf(step, 'id'))

// D1696: an approval on a step is a step of its own, after it
/** What waits for the step waits for its approval. */
export function translateApprovals(pen: Pen, dag: YamlMap): void {
  const steps = entryOf(dag, 'steps')?.value
  if (!isSeq(steps)) return
  const gates = new Map<string, string>()
  steps.items = steps.items.flatMap((item, index) => {
    const step = isMap(item) ? (item as YamlMap) : undefined
    const approval = step && entryOf(step, 'approval')
    if (!step || !approval || entryOf(step, 'continueOn') || entryOf(step, 'continue_on')) return [item]
    const settings = settingsIn(mapIn(approval))
    if (settings.hasOthers('prompt')) return [item]
    const name = calledOf(step) ?? `step_${index + 1}`
    if (calledOf(step) === undefined) put(pen, step, 'name', name)
    const gate = `${name}-approval`
    for (const key of ['name', 'id']) {
      const own = textIn(entryOf(step, key))
      if (own !== undefined) gates.set(own, gate)
    }
    drop(step, approval)
    pen.say('translated', approval.key, `its approval is a step of its own, ${gate}`)
    const config = { ask: settings.text('prompt') ?? '' }
    return [item, pen.document.createNode({ name: gate, executor: { type: 'approval', config }, depends: [name] })]
  })
  if (gates.size === 0) return
  const approvals = new Set(gates.values())
  eachStep(pen, dag, (step) => {
    const depends = entryOf(step, 'depends')
    if (!depends || approvals.has(calledOf(step) ?? '')) return
    const names = (isSeq(depends.value) ? depends.value.items : [depends.value]).map((one) => scalarText(one) ?? '')
    if (names.some((one) => gates.has(one)))
      put(
        pen,
        step,
        'depends',
        names.map((one) => gates.get(one) ?? one),
        depends
      )
  })
}

/** `router.route`: its routes are preconditions of their steps, which wait for it. */
export function translateRouters(pen: Pen, dag: YamlMap): void {
  const byName = new Map<string, YamlMap>()
  const routers: YamlMap[] = []
  for (const step of stepsIn(dag)) {
    for (const name of ['name', 'id']) {
      const own = textIn(entryOf(step, name))
      if (own !== undefined) byName.set(own, step)
    }
    if (textIn(entryOf(step, 'action')) === 'router.route') routers.push(step)
  }
  for (const router of routers) route(pen, router, byName)
}

function route(pen: Pen, router: YamlMap, byName: ReadonlyMap<string, YamlMap>): void {
  const action = entryOf(router, 'action')
  const settings = mapIn(entryOf(router, 'with'))
  const routes = settings && mapIn(entryOf(settings, 'routes'))
  const value = settingsIn(settings).text('value')
  const name = calledOf(router)
  if (!action || !routes || value === undefined || name === undefined) return
  const targets = routes.items.flatMap((entry: Entry) =>
    listed(pen, entry.value).map((one) => ({ expected: nameOf(entry), step: byName.get(scalarText(one) ?? '') }))
  )
  const steps = targets.map(({ step }) => step)
  const isPlain = targets.every(({ expected, step }) => step && step !== router && !expected.startsWith('num:'))
  if (!isPlain || new Set(steps).size < steps.length) return
  for (const { expected, step } of targets) {
    if (!step) continue
    const [conditions, depends] = [entryOf(step, 'preconditions'), entryOf(step, 'depends')]
    put(pen, step, 'preconditions', [{ condition: value, expected }, ...listed(pen, conditions?.value)], conditions)
    const before = listed(pen, depends?.value).filter((one) => scalarText(one) !== name)
    put(pen, step, 'depends', [...before, name], depends)
  }
  put(pen, router, 'command', 'true', action)
  drop(router, entryOf(router, 'with'))
  pen.say('translated', action.key, 'the routes of router.route are preconditions of their steps')
}
