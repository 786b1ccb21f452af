/**
 * Texts that were not saved, kept in this browser. Each editor that is open keeps its own, so that two tabs do not overwrite each other;
 * what is left of one that was closed is offered to the next.
 */
import { urlOf } from '../api.ts'
import { localNow } from '../clock.ts'

export interface Draft {
  /** Id of the editor that has kept it. */
  id: string
  text: string
  /** Revision of the stored text that it began with; absent: there was none. */
  revision?: string
  /** Epoch ms by this browser's clock. */
  at: number
}

// D1275: each open editor keeps its own unsaved text in the browser
/** Several servers may be below one origin. @param fileName empty: of a definition that has no name yet */
const prefixOf = (fileName: string) => `troupe.draft ${urlOf('')} ${fileName} `

/** For one editor. */
export function newDraftId(): string {
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1))
  return `${localNow().toString(36)}-${chance.toString(36)}`
}

/** @returns false: the browser refuses, as when its store is full */
export function keepDraft(fileName: string, draft: Omit<Draft, 'at'>): boolean {
  try {
    localStorage.setItem(prefixOf(fileName) + draft.id, JSON.stringify({ ...draft, at: localNow() }))
    return true
  } catch {
    return false
  }
}

export function dropDraft(fileName: string, id: string): void {
  localStorage.removeItem(prefixOf(fileName) + id)
}

/** The newest first. */
export function draftsOf(fileName: string): Draft[] {
  const prefix = prefixOf(fileName)
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => draftIn(localStorage.getItem(key)) ?? [])
    .toSorted((a, b) => b.at - a.at)
}

function draftIn(text: string | null): Draft | undefined {
  try {
    const { id, text: kept, at, revision }: Partial<Draft> = JSON.parse(text ?? '{}')
    if (id === undefined || kept === undefined || at === undefined) return undefined
    return { id, text: kept, at, ...(revision === undefined ? {} : { revision }) }
  } catch {
    return undefined
  }
}

/** A definition has another name now. */
export function moveDrafts(fileName: string, newFileName: string): void {
  for (const { at: _, ...draft } of draftsOf(fileName)) if (keepDraft(newFileName, draft)) dropDraft(fileName, draft.id)
}
