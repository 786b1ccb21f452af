/** The `dags` of a host application, as its engine works with them. Source: docs/embedding/README.md. */
import { fitParams, fitPayload } from '../builder/fit-params.ts'
import { type Inside, insideOf, isFromElsewhere } from '../builder/inside.ts'
import type { CodeDag, CodeDags } from '../definitions/code-dag.ts'
import type { HostFunction } from '../executors/function/function.ts'
import { refuse } from './host-values.ts'

/** @throws TroupeError bad_request (details.errors): what is no DAG of this copy of the package, a name that two have */
export function codeDags(dags: readonly unknown[]): CodeDags {
  const problems: string[] = []
  const found = new Map<string, CodeDag>()
  const places = new Map<string, number>()
  for (const [place, dag] of dags.entries()) {
    const inside = insideOf(dag)
    if (!inside) {
      problems.push(`dags[${place}]: wanted what defineDag returns, found ${isFromElsewhere(dag) ?? 'something else'}`)
      continue
    }
    const before = places.get(inside.name)
    if (before === undefined) places.set(inside.name, place)
    else
      problems.push(
        `dags[${place}]: DAG "${inside.name}" is there twice, as dags[${before}], too: give one of them another name`
      )
    found.set(inside.name, codeDag(inside))
  }
  refuse(problems)
  return found
}

/** The DAGs that `defineDag` of this copy of the package has made. */
export const ofDefineDag = (dags: readonly unknown[]): object[] =>
  dags.filter((dag): dag is object => insideOf(dag) !== undefined)

const codeDag = (inside: Inside): CodeDag => {
  const { name, text, version, planHash } = inside
  return {
    name,
    text,
    release: { dag: name, version, planHash },
    fitParams: (params, texts) => fitParams(inside, params, texts),
    fitPayload(step, payload) {
      const schema = inside.signals.get(step)
      return schema && fitPayload(schema, payload, `payload of signal "${step}"`)
    }
  }
}

// D1146: a DAG brings the functions that it uses
/**
 * The functions of an engine with those of its DAGs: of their steps, by the names that their texts have, and those that they use.
 * @throws TroupeError bad_request (details.errors): a name that stands for two functions
 */
export function withCodeOf(
  functions: ReadonlyMap<string, HostFunction>,
  dags: readonly unknown[]
): Map<string, HostFunction> {
  const all = new Map(functions)
  const problems: string[] = []
  for (const { name: dag, bodies, uses } of dags.flatMap((one) => insideOf(one) ?? [])) {
    for (const { name, run } of bodies) {
      if (functions.has(name)) problems.push(`functions: the name "${name}" is that of a step of DAG "${dag}"`)
      all.set(name, { name, isOfRun: true, run })
    }
    for (const [step, used] of uses) {
      const fn = used as HostFunction // the builder has looked at its name, and `run` is looked at here
      if (typeof fn.run !== 'function')
        problems.push(`DAG "${dag}": step "${step}": wanted a function of defineFunction`)
      else if ((all.get(fn.name) ?? fn) !== fn)
        problems.push(
          `DAG "${dag}": step "${step}" uses another function "${fn.name}" than the engine has: names are unique`
        )
      else all.set(fn.name, fn)
    }
  }
  refuse(problems)
  return all
}
