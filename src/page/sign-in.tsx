/** Asks a visitor whom the server does not know to say who they are, in the ways that this server takes. */
import { useState } from 'preact/hooks'
import { forgetToken, hasToken, keepToken, METHODS, SIGN_IN } from './api.ts'
import { Mark } from './parts/icon.tsx'

const REFUSED = 'The server did not take that token, or it is no longer good.'
/** No server takes a token with such a character, and no request could carry it. */
const STRANGE = /[^!-~]/u

/** @param onGiven there is something to try @param fault why nobody knows whether it is good */
export function SignIn({ onGiven, fault }: { onGiven: () => void; fault: string }) {
  const [token, setToken] = useState('')
  const [complaint, setComplaint] = useState(hasToken() ? REFUSED : '')
  const tryToken = (event: Event) => {
    event.preventDefault()
    const given = token.trim()
    const [strange] = STRANGE.exec(given) ?? []
    setToken('')
    setComplaint(strange === undefined ? REFUSED : `No token has ${nameOf(strange)} in it: copy it again.`)
    if (strange !== undefined) return
    keepToken(given)
    onGiven()
  }
  const reload = () => {
    forgetToken()
    location.reload()
  }
  return (
    <main class="lonely">
      <div class="sign-in">
        <Mark />
        <h1>Troupe</h1>
        <p>This server wants to know who you are.</p>
        {(fault || complaint) && (
          <p class="problem" role="alert">
            {fault || complaint}
          </p>
        )}
        {METHODS.includes('oidc') && (
          <a class="button main" href={`${SIGN_IN}?returnTo=${encodeURIComponent(location.pathname + location.hash)}`}>
            Sign in
          </a>
        )}
        {METHODS.includes('basic') && (
          <button type="button" class="button" onClick={reload}>
            Sign in with user and password
          </button>
        )}
        {METHODS.includes('token') && (
          <form onSubmit={tryToken}>
            <label>
              Access token
              <input
                type="password"
                autocomplete="off"
                required
                value={token}
                onInput={({ currentTarget }) => setToken(currentTarget.value)}
              />
            </label>
            <button type="submit" class="button main">
              Go on
            </button>
            <p class="soft">It is kept for this tab, until you close it.</p>
          </form>
        )}
      </div>
    </main>
  )
}

/** Of a character that may be one that is not seen. */
const nameOf = (sign: string): string =>
  `“${sign}” (U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`
