/** The part of a form that is about params, and the request as a line for a shell. */
import { shellQuote } from '../../platform/shell/shell-word.ts'
import { METHODS, urlOf } from '../api.ts'
import { putIntoClipboard } from '../clipboard.ts'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { ParamInputs } from './param-inputs.tsx'
import type { ParamState } from './use-params.ts'

export function ParamPart({ state, isLocked }: { state: ParamState; isLocked: boolean }) {
  const { answered, fields, input, further } = state
  return (
    <>
      <Problem refusal={answered.refusal} retry={answered.refresh} />
      {answered.value?.problem && <p class="soft">Without the schema of the parameters: {answered.value.problem}.</p>}
      <ParamInputs fields={fields} input={input} isLocked={isLocked} onInput={state.set} />
      <label class="field">
        {fields.length === 0 ? 'Parameters' : 'Further parameters'}
        <input
          class="mono"
          value={further}
          disabled={isLocked}
          placeholder="KEY=value"
          onInput={({ currentTarget }) => state.setFurther(currentTarget.value)}
        />
      </label>
    </>
  )
}

/** @param path below the API */
export function CurlPart({ path, body }: { path: string; body: object }) {
  const { act, isBusy } = useAction()
  const line = curlLine(path, body, location.origin)
  const copy = () =>
    act(async () => {
      await putIntoClipboard(line)
      return 'Copied the line.'
    })
  return (
    <details class="start-more">
      <summary>Copy as curl</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <pre class="curl" tabIndex={0}>
        {line}
      </pre>
      <button type="button" class="button small" disabled={isBusy} onClick={copy}>
        Copy
      </button>
    </details>
  )
}

/** The request of a form as a line for a shell. @param path below the API @param origin of the server, such as `https://host:8080` */
function curlLine(path: string, body: object, origin: string): string {
  const credentials = METHODS.includes('token')
    ? [`-H "Authorization: Bearer $TROUPE_TOKEN"`]
    : METHODS.includes('basic')
      ? ['-u "$TROUPE_USER"']
      : []
  return [
    'curl -X POST',
    ...credentials,
    "-H 'Content-Type: application/json'",
    `-d ${shellQuote(JSON.stringify(body))}`,
    shellQuote(new URL(urlOf(path), origin).href)
  ].join(' ')
}
