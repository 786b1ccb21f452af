/** Cookies of the sign-in: for this server only, out of reach of scripts. Source: api-semantics 9.1 S6. */
import type { ParameterizedContext } from 'koa'

// D309: Sign-ins in progress are kept in cookies
/** @param secure whether browsers come over https; a proxy in front may hide that from the connection */
export function cookiesOf({ secure }: { secure: boolean }) {
  const set = (
    ctx: ParameterizedContext,
    name: string,
    value: string,
    { path, seconds }: { path: string; seconds: number }
  ) =>
    ctx.append(
      'Set-Cookie',
      `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    )
  return {
    /** @param value of characters that a cookie can hold */
    set,
    get: (ctx: ParameterizedContext, name: string): string | undefined => ctx.cookies.get(name) || undefined,
    clear: (ctx: ParameterizedContext, name: string, path: string) => set(ctx, name, '', { path, seconds: 0 })
  }
}
