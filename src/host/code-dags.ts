/** The `dags` of a host application, as its engine works with them. Source: docs/embedding/README.md. */
import { fitParams, fitPayload } from '../builder/fit-params.ts'
import { type Inside, insideOf, isFromElsewhere } from '../builder/inside.ts'
import type { CodeDag, CodeDags } from '../definitions/code-dag.ts'
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
