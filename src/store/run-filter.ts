/** Whether a run is one that a filter asks for. Source: api-semantics 3.6. */
import type { RunRecord } from '../../machines/vocabulary.ts'
import type { RunFilter, RunPlace } from './parts.ts'

/** By what its key says; cheap. */
export function matches({ name, dagRunId, createdAt }: RunPlace, filter: RunFilter): boolean {
  if (filter.name !== undefined && name !== filter.name) return false
  if (filter.nameContains !== undefined && !contains(name, filter.nameContains)) return false
  if (filter.idContains !== undefined && !dagRunId.includes(filter.idContains)) return false
  return createdAt >= (filter.from ?? 0) && createdAt < (filter.to ?? Number.MAX_SAFE_INTEGER)
}

/** By the rest. @param tagsOf tags of its definition, which are stored with its plan */
export function fits(
  { status, trigger, params }: RunRecord,
  { paramContains: part, ...filter }: RunFilter,
  tagsOf: () => readonly string[]
): boolean {
  if (filter.status && !filter.status.includes(status)) return false
  if (filter.trigger && !(trigger && filter.trigger.includes(trigger.type))) return false
  if (filter.byContains !== undefined && !contains(trigger?.by ?? '', filter.byContains)) return false
  if (part !== undefined && !params.some(({ name, value }) => contains(`${name}=${value}`, part))) return false
  if (!filter.tags?.length) return true
  const tags = tagsOf()
  return filter.tags.every((tag) => tags.includes(tag))
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
