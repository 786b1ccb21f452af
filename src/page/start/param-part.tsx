/** The part of a form that is about params, and the request as a line for a shell. */
import { putIntoClipboard } from '../clipboard.ts'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { curlLine } from './curl-line.ts'
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
      <summary>As a line for a shell</summary>
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
