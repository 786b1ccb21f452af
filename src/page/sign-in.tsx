/** Asks an unknown visitor to sign in, in the ways that this server accepts. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { forgetToken, hasToken, keepToken, METHODS, SIGN_IN } from './api.ts'
import { Mark } from './parts/icon.tsx'

const REFUSED = 'The server rejected this key, or it has expired.'
/** No request could carry a token with such a character. */
const STRANGE = /[^!-~]/u

interface Props {
  /** Called when there is a token to try in place. */
  onGiven: () => void
  /** Why the token could not be checked. */
  fault: string
  /** The visitor was known before: their view is still there, below this. */
  isAgain?: boolean
}

export const SignIn = (props: Props) => (
  <main class="lonely">
    <Ways {...props} />
  </main>
)

// D1330: requests of a session that has ended wait for the next sign-in of the same visitor
/** Above the view that was shown until the session ended: all that was filled in there is kept. */
export function SignInAgain(props: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  // On top of any other dialog, which stays open.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="sign-in-again"
      aria-label="Sign in again"
      onKeyDown={(event) => event.key === 'Escape' && event.preventDefault()}
      // The back button of a phone closes a dialog, whatever is said to it: so the dialog opens again.
      onClose={() => dialog.current?.showModal()}
    >
      <Ways {...props} isAgain />
    </dialog>
  )
}

function Ways({ onGiven, fault, isAgain = false }: Props) {
  const [token, setToken] = useState('')
  const [complaint, setComplaint] = useState(hasToken() ? REFUSED : '')
  const field = useRef<HTMLInputElement>(null)
  // Also in a dialog, which focuses the first link or button.
  useEffect(() => field.current?.focus(), [])
  const tryToken = (event: Event) => {
    event.preventDefault()
    const typed = token.trim()
    const [strange] = STRANGE.exec(typed) ?? []
    setToken('')
    setComplaint(strange === undefined ? REFUSED : `A key cannot contain ${nameOf(strange)}. Copy it again.`)
    if (strange !== undefined) return
    keepToken(typed)
    onGiven()
  }
  /** True when another application says who the visitor is. */
  const isPart = METHODS.every((method) => method === '')
  const reload = () => {
    forgetToken()
    location.reload()
  }
  return (
    <div class="sign-in">
      <Mark />
      <h1>Troupe</h1>
      <p>
        {isAgain && 'Your session has ended. '}
        {isPart
          ? 'Sign in to the application that this page is part of, then reload.'
          : isAgain
            ? 'Sign in to go on where you were.'
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
          <label class="field">
            Access key
            <input
              ref={field}
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
          <p class="soft">An API key or a token. It is kept in this tab until you close it.</p>
        </form>
      )}
    </div>
  )
}

/** Names a character that may be invisible. */
const nameOf = (sign: string): string =>
  `“${sign}” (U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`
