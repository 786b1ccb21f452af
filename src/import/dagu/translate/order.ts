/** The `type` of a definition that does not say it: a chain before release 2.7, a graph since. */
import { isMap, isScalar, isSeq } from 'yaml'
import { entryOf, type Pen, textIn, type YamlMap } from './pen.ts'

/** What is known of a step for the order: its name and id, and its `depends`, if it has any. */
interface Link {
  names: string[]
  depends: string[] | undefined
}

const LOOKED_AT = 2_000

// D1690: a type is written where the release is known, and named where it is not and counts
export function translateOrder(pen: Pen, dag: YamlMap): void {
  const steps = entryOf(dag, 'steps')
  if (entryOf(dag, 'type') || pen.baseHasType || !isSeq(steps?.value) || steps.value.items.length < 2) return
  const groups = steps.value.items.map((item) => (isSeq(item) ? item.items : [item]).map(linkOf))
  const isBackwards = needsGraph(groups)
  if (pen.release === 'new' || (isBackwards && pen.release === undefined)) {
    dag.items.splice(dag.items.indexOf(steps), 0, pen.document.createPair('type', 'graph'))
    const reason = pen.release === 'new' ? 'it is of release 2.7 or later' : 'a step depends on a later one'
    pen.say('translated', steps.key, `type: graph is written, as ${reason}`)
  } else if (isBackwards) {
    pen.say(
      'left',
      steps.key,
      'a step depends on a later one, and before release 2.7 its steps run one after another',
      'write type: graph, or import it with --from 2.7',
      ...groups.map((_, index) => `steps[${index}].depends`)
    )
  } else if (pen.release === undefined && differs(groups)) {
    pen.say(
      'note',
      steps.key,
      'nothing tells its release: its steps run one after another here, as before 2.7; since then each waits for its depends only',
      'say the release with --from VERSION, or write type: chain or type: graph'
    )
  }
}

const textsIn = (value: unknown): string[] =>
  isSeq(value) ? value.items.flatMap(textsIn) : isScalar(value) && value.value !== null ? [String(value.value)] : []

function linkOf(step: unknown): Link {
  if (!isMap(step)) return { names: [], depends: undefined }
  const map = step as YamlMap
  const depends = entryOf(map, 'depends')
  return {
    names: [textIn(entryOf(map, 'name')), textIn(entryOf(map, 'id'))].flatMap((name) => name ?? []),
    depends: depends && !(isScalar(depends.value) && depends.value.value === null) ? textsIn(depends.value) : undefined
  }
}

/** Whether a chain would be a cycle: a step waits for a later one, which waits for it. */
function needsGraph(groups: Link[][]): boolean {
  const isChained = groups.flat().every(({ depends }) => depends?.length !== 0)
  const itemOf = new Map(
    groups.flatMap((group, item) => group.flatMap(({ names }) => names.map((name) => [name, item])))
  )
  return (
    isChained &&
    groups.some((group, item) => group.some(({ depends }) => depends?.some((one) => (itemOf.get(one) ?? 0) > item)))
  )
}

/** Whether a step of a graph would not wait for all that it waits for in a chain. */
function differs(groups: Link[][]): boolean {
  if (groups.length > LOOKED_AT) return true
  const named = new Map(groups.flat().flatMap((link) => link.names.map((name) => [name, link])))
  return groups.some((group, item) =>
    group.some((link) => {
      const before = (groups[item - 1] ?? []).filter(({ names }) => !names.some((name) => link.depends?.includes(name)))
      if (link.depends?.length === 0 || before.length === 0) return false
      const upstream = new Set<Link>()
      const open = [link]
      for (let one = open.pop(); one; one = open.pop())
        for (const name of one.depends ?? []) {
          const found = named.get(name)
          if (found && !upstream.has(found)) open.push(found)
          if (found) upstream.add(found)
        }
      return before.some((one) => !upstream.has(one))
    })
  )
}
