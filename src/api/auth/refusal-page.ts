/** What a person sees whose request was refused before there is a page: one sentence. */
import type { ParameterizedContext } from 'koa'

// D275
/** @param title what has gone wrong @param sentence why, and what helps */
export function refusalPage(
  ctx: ParameterizedContext,
  status: number,
  sentence: string,
  title = 'Not signed in'
): void {
  ctx.status = status
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><h1>${escaped(title)}</h1><p>${escaped(sentence)}</p>\n`
}

/** A browser that shows what it gets to a person, not a program. */
export const isPageWanted = ({ method, headers }: ParameterizedContext): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
