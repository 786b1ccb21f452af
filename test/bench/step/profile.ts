/** Where the main thread's time goes: the samples of a CPU profile, grouped by the part of the program that they are in. */
import type { Profiler } from 'node:inspector'

/** Path of a script, and its group; the first match counts. */
const GROUPS: [RegExp, string][] = [
  [/\/node_modules\/xstate\//, 'xstate'],
  [/\/node_modules\/(lmdb|msgpackr|ordered-binary|weak-lru-cache)/, 'lmdb'],
  [/\/node_modules\//, 'other packages'],
  [/\/machines\//, 'charts (machines/)'],
  [/\/src\/actors\/journal\//, 'journal (actors/journal/)'],
  [/\/src\/store\//, 'store/'],
  [/\/src\/actors\//, 'other actors/'],
  [/\/src\/executors\/launcher\//, 'executors/launcher/'],
  [/\/src\/executors\//, 'other executors/'],
  [/\/src\/definition/, 'definition/'],
  [/\/src\/masking\//, 'masking/'],
  [/\/src\/api\/|^node:(_?http|internal\/http)/, 'HTTP'],
  [/\/src\//, 'other of src/'],
  [/^node:(fs|internal\/fs)/, 'files (node:fs)'],
  [/^node:(net|stream|child_process|internal\/(streams|stream_base|child_process))/, 'pipes and sockets'],
  [/^node:/, 'other of node']
]
const BY_NAME: Record<string, string> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside of JavaScript'
}
export const IDLE = 'idle'

/** Shares of the time that was not idle, by group, the largest first. What is built in counts as of whoever called it. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): [group: string, share: number][] {
  const groups = groupsOf(nodes)
  const times = new Map<string, number>()
  samples.forEach((id, index) => {
    const group = groups.get(id) ?? 'unknown'
    // A sample lasts until the next one is taken.
    times.set(group, (times.get(group) ?? 0) + (timeDeltas[index + 1] ?? 0))
  })
  times.delete(IDLE)
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times].map(([group, time]): [string, number] => [group, time / busy]).sort(([, a], [, b]) => b - a)
}

function groupsOf(nodes: Profiler.ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const groups = new Map<number, string>()
  const walk = (id: number, above: string) => {
    const node = byId.get(id)
    if (!node) return
    const group = groupOf(node.callFrame, above)
    groups.set(id, group)
    for (const child of node.children ?? []) walk(child, group)
  }
  const root = nodes[0]
  if (root) walk(root.id, 'unknown')
  return groups
}

function groupOf({ functionName, url }: { functionName: string; url: string }, above: string): string {
  if (functionName === '(idle)') return IDLE
  const named = BY_NAME[functionName]
  if (named) return named
  if (url === '') return above
  return GROUPS.find(([path]) => path.test(url))?.[1] ?? 'other'
}
