/** What a person sees whose sign-in went wrong. */
import type { ParameterizedContext } from 'koa'

export function refusalPage(ctx: ParameterizedContext, status: number, sentence: string): void {
  ctx.status = status
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><meta charset="utf-8"><title>Not signed in</title><p>${escaped(sentence)}</p>\n`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
