/** Asks a visitor whom the server does not know to say who they are, in the ways that this server takes. */
import { useState } from 'preact/hooks'
import { forgetToken, hasToken, keepToken, METHODS, SIGN_IN } from './api.ts'
import { Mark } from './parts/icon.tsx'

/** @param onGiven there is something to try */
export function SignIn({ onGiven }: { onGiven: () => void }) {
  const [token, setToken] = useState('')
  const [isTried, setTried] = useState(hasToken())
  const tryToken = (event: Event) => {
    event.preventDefault()
    keepToken(token.trim())
    setTried(true)
    setToken('')
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
        {isTried && (
          <p class="problem" role="alert">
            The server did not take that token, or it is no longer good.
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
