/** `POST <basePath>/oidc-backchannel-logout`: the provider says that somebody has left. Source: OpenID Connect Back-Channel Logout 1.0. */
import type { ParameterizedContext } from 'koa'
import type { IdTokens } from '../id-token.ts'

const MOST_BYTES = 64 * 1024

// D1450: logout tokens may lack `exp`, but not `jti`, and are 10 minutes old at most
export async function backChannelLogout(ctx: ParameterizedContext, tokens: IdTokens): Promise<void> {
  const token = ctx.is('application/x-www-form-urlencoded') ? (await formIn(ctx))?.get('logout_token') : undefined
  const problem = token ? await tokens.logout(token) : 'wanted a form with logout_token'
  ctx.status = problem === undefined ? 200 : 400
  ctx.body = problem === undefined ? {} : { error: 'invalid_request', error_description: problem }
}

/** Undefined: it is too long, or ended early. */
async function formIn({ req }: ParameterizedContext): Promise<URLSearchParams | undefined> {
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of req) {
      size += chunk.length
      if (size > MOST_BYTES) return undefined
      kept.push(chunk)
    }
  } catch {
    return undefined
  }
  return new URLSearchParams(Buffer.concat(kept).toString())
}
