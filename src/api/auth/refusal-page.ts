/** A page with one sentence for a person whose request was refused. */
import type { ParameterizedContext } from 'koa'

// D275: a refusal for `Host` or `Origin` names the setting that helps
/** @param title what went wrong @param sentence why, and how to fix it */
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

/** Whether a browser will show the answer to a person. */
export const isPageWanted = ({ method, headers }: ParameterizedContext): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
