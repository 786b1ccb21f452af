/** The OpenID Connect provider: found when it is first needed, and asked with `openid-client`, which is loaded then. Source: api-semantics 9.1 S6. */
import type * as Client from 'openid-client'
import type { OidcAuth } from '../../config.ts'
import { TroupeError } from '../../errors.ts'

export interface Provider {
  client: typeof Client
  configuration: Client.Configuration
}

const TIMEOUT_S = 10

/** Asks the provider about itself, once; after a failure again. @throws TroupeError service_unavailable */
export function providerOf({ issuer, clientId, clientSecret }: OidcAuth): () => Promise<Provider> {
  let found: Promise<Provider> | undefined

  async function find(): Promise<Provider> {
    const client = await import('openid-client')
    const secret = clientSecret.reveal()
    const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
    // The default of the standard, unless the provider takes only the other.
    const authenticate: Client.ClientAuth = (server, ...rest) =>
      ((server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic : post)(
        server,
        ...rest
      )
    try {
      const configuration = await client.discovery(new URL(issuer), clientId, {}, authenticate, {
        timeout: TIMEOUT_S,
        // Only loopback may be spoken to in clear text: the configuration was checked for that.
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
      })
      return { client, configuration }
    } catch (cause) {
      throw new TroupeError('service_unavailable', 'the sign-in provider does not answer', { cause })
    }
  }

  return () =>
    (found ??= find().catch((cause) => {
      found = undefined
      throw cause
    }))
}
