/** The plan of an imported run: its recorded text as this engine reads it, or, where that does not fit, its steps as they were recorded. */
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { planHash } from '../../../actors/run/plan-hash.ts'
import { type ReadOptions, readDefinition } from '../../../definition/read.ts'
import type { StoredPlan } from '../../../store/stored.ts'
import { MIB, readIn } from '../../source.ts'
import { translated } from '../translate/translated.ts'
import type { FoundAttempt } from './find.ts'
import type { DaguNode, DaguStatus } from './status.ts'

export interface RunPlan {
  workflow: StoredPlan
  hash: string
  /** Index of the plan's step for each recorded node. */
  steps: number[]
  /** The recorded text could not be read: the plan has names and edges, and a retry of it fails with a sentence. */
  isOutline: boolean
}

const MOST_DAG = 16 * MIB
const KEPT = 1_000

// D1504: an imported run has the text that Dagu recorded with it
/** @param options for every text: the folder of the definitions, and the base file */
export function openRunPlans(options: Pick<ReadOptions, 'sourceDir' | 'base'>): (attempt: FoundAttempt) => RunPlan {
  const known = new Map<string, StoredPlan | undefined>()
  const planOf = (name: string, spec: string): StoredPlan | undefined => {
    const key = createHash('sha256').update(`${name}\0${spec}`).digest('base64url')
    if (!known.has(key)) {
      if (known.size >= KEPT) known.clear()
      const text = translated(spec, { isDefinition: () => false }).text
      const { plan } = readDefinition(text, { ...options, name })
      known.set(key, plan && { plan, spec: text })
    }
    return known.get(key)
  }
  return ({ status, folder }) => {
    const spec = specIn(folder)
    const workflow = spec === undefined ? undefined : planOf(status.name, spec)
    const steps = workflow && fittingSteps(workflow, status)
    if (workflow && steps) return { workflow, hash: planHash(workflow), steps, isOutline: false }
    const outline = outlineOf(status)
    return { workflow: outline, hash: planHash(outline), steps: status.nodes.map((_, index) => index), isOutline: true }
  }
}

/** The text is kept in `dag.json`, as base64. */
function specIn(folder: string): string | undefined {
  const read = readIn(folder, 'dag.json', MOST_DAG)
  if ('problem' in read) return undefined
  try {
    const { yamlData } = JSON.parse(read.text) as { yamlData?: unknown }
    return typeof yamlData === 'string' ? Buffer.from(yamlData, 'base64').toString('utf8') : undefined
  } catch {
    return undefined
  }
}

/**
 * By name; a step without one may be named differently here, and is found by its place. Undefined: they are other steps, or fewer than
 * those here: an approval is a step of its own.
 */
function fittingSteps({ plan }: StoredPlan, { nodes, handlers }: DaguStatus): number[] | undefined {
  if (plan.steps.length !== nodes.length) return undefined
  const steps = nodes.map(({ name }, index) => {
    const found = plan.steps.findIndex((step) => step.name === name)
    return found < 0 ? index : found
  })
  const own = new Set(Object.values(plan.handlers).map(({ name }) => name))
  const fits = steps.every((step) => step >= 0) && new Set(steps).size === steps.length
  const named = Object.entries(handlers).filter(([, { status }]) => status !== 0)
  return fits && named.every(([place]) => own.has(place)) ? steps : undefined
}

const REFUSAL = "echo 'This run was imported without a definition that can run here.' >&2; exit 1"

/** Steps with their names, edges and what they ran as their description. */
function outlineOf({ name, nodes, handlers }: DaguStatus): StoredPlan {
  const names = new Set(nodes.map((node) => node.name))
  const stepOf = ({ name, command, depends }: DaguNode) => ({
    name,
    ...(command ? { description: command.slice(0, 2_000) } : {}),
    command: REFUSAL,
    depends: depends.filter((one) => names.has(one) && one !== name)
  })
  const unique = [...new Map(nodes.map((node) => [node.name, node])).values()]
  const handlerOn = Object.fromEntries(
    Object.keys(handlers).map((place) => [place.slice(2).toLowerCase(), { command: REFUSAL }])
  )
  const whole = {
    name,
    type: 'graph',
    steps: unique.map(stepOf),
    ...(Object.keys(handlers).length ? { handlerOn } : {})
  }
  const spec = `# As recorded by Dagu: its text could not be read here.\n${stringify(whole)}`
  const { plan } = readDefinition(spec, { name })
  if (plan) return { plan, spec }
  // Edges or names that no plan can have: names by number, without edges.
  const plain = {
    name,
    type: 'graph',
    steps: nodes.map((_, index) => ({ name: `step_${index + 1}`, command: REFUSAL }))
  }
  const text = `# As recorded by Dagu: its text could not be read here.\n${stringify(plain)}`
  const { plan: last } = readDefinition(text, { name })
  if (!last) throw new Error(`no plan for the steps of ${name}`)
  return { plan: last, spec: text }
}
