/** The OpenID Connect provider, discovered when it is first needed; `openid-client` is loaded then. Source: api-semantics 9.1 S6. */
import type * as Client from 'openid-client'
import type { OidcAuth } from '../../config.ts'
import { TroupeError } from '../../errors.ts'

export interface Provider {
  client: typeof Client
  configuration: Client.Configuration
}

const TIMEOUT_S = 10

// D311: `jose` checks ID tokens
/** Discovers the provider, once; after a failure again. @throws TroupeError service_unavailable */
export function providerOf({ issuer, clientId, clientSecret }: OidcAuth): () => Promise<Provider> {
  let found: Promise<Provider> | undefined

  async function find(): Promise<Provider> {
    const client = await import('openid-client')
    const secret = clientSecret.reveal()
    const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
    // The default of the standard, unless the provider only supports the other.
    const authenticate: Client.ClientAuth = (server, ...rest) =>
      ((server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic : post)(
        server,
        ...rest
      )
    try {
      const configuration = await client.discovery(new URL(issuer), clientId, {}, authenticate, {
        timeout: TIMEOUT_S,
        // Plain HTTP is for loopback only: the configuration was checked for that.
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
      })
      return { client, configuration }
    } catch (cause) {
      throw new TroupeError('service_unavailable', problemOf(cause, issuer), { cause })
    }
  }

  return () =>
    (found ??= find().catch((cause) => {
      found = undefined
      throw cause
    }))
}

/** Codes of `openid-client`: the answer is not a provider's. */
const NO_PROVIDER = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_INVALID_RESPONSE'
])

/** Why discovery failed: the service that answers may not be the provider. */
function problemOf(error: unknown, issuer: string): string {
  // Members of the package's errors; others may lack them.
  const { code, cause }: { code?: unknown; cause?: { status?: number; body?: { issuer?: unknown } } } = Object(error)
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return `auth.oidc.issuer: wanted ${cause?.body?.issuer}, as the sign-in provider calls itself, found ${issuer}`
  const isBroken = Number(cause?.status) >= 500 // perhaps a proxy, whose provider is away
  if (NO_PROVIDER.has(String(code)) && !isBroken)
    return `auth.oidc.issuer: wanted the address of a sign-in provider, found nothing of one at ${issuer}`
  return 'the sign-in provider does not answer'
}
