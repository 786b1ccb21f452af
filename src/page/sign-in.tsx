/** Asks an unknown visitor to sign in, in the ways that this server accepts. */
import { useState } from 'preact/hooks'
import { forgetToken, hasToken, keepToken, METHODS, SIGN_IN } from './api.ts'
import { Mark } from './parts/icon.tsx'

const REFUSED = 'The server rejected this token, or it has expired.'
/** No request could carry a token with such a character. */
const STRANGE = /[^!-~]/u

/** @param onGiven called with a token to try in place @param fault why the token could not be checked */
export function SignIn({ onGiven, fault }: { onGiven: () => void; fault: string }) {
  const [token, setToken] = useState('')
  const [complaint, setComplaint] = useState(hasToken() ? REFUSED : '')
  const tryToken = (event: Event) => {
    event.preventDefault()
    const typed = token.trim()
    const [strange] = STRANGE.exec(typed) ?? []
    setToken('')
    setComplaint(strange === undefined ? REFUSED : `A token cannot contain ${nameOf(strange)}. Copy it again.`)
    if (strange !== undefined) return
    keepToken(typed)
    onGiven()
  }
  /** Another application says who the visitor is. */
  const isPart = METHODS.every((method) => method === '')
  const reload = () => {
    forgetToken()
    location.reload()
  }
  return (
    <main class="lonely">
      <div class="sign-in">
        <Mark />
        <h1>Troupe</h1>
        <p>
          {isPart
            ? 'Sign in to the application that this page is part of, then reload.'
            : 'Sign in to use this server.'}
        </p>
        {(fault || complaint) && (
          <p class="problem" role="alert">
            {fault || complaint}
          </p>
        )}
        {isPart && (
          <button type="button" class="button main" onClick={reload}>
            Reload
          </button>
        )}
        {METHODS.includes('oidc') && (
          <a class="button main" href={`${SIGN_IN}?returnTo=${encodeURIComponent(location.pathname + location.hash)}`}>
            Sign in
          </a>
        )}
        {METHODS.includes('basic') && (
          <button type="button" class="button" onClick={reload}>
            Sign in with username and password
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
              Continue
            </button>
            <p class="soft">The token is kept in this tab until you close it.</p>
          </form>
        )}
      </div>
    </main>
  )
}

/** Names a character that may be invisible. */
const nameOf = (sign: string): string =>
  `“${sign}” (U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`
