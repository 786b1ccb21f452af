/** An event is tried on a copy of an actor, by the server: nothing happens to the run. Source: docs/inspect.md. */
import { useEffect, useState } from 'preact/hooks'
import type { Actor, Preview } from '../../answers.ts'
import { Problem } from '../../parts/problem.tsx'
import { useAnswer } from '../../use-answer.ts'
import { changesOf } from './changes.ts'
import { ContextTree } from './context-tree.tsx'

/** Events whose members decide what follows, with the members that do. */
const MEMBERS: Record<string, object> = {
  'attempt.ended': { exitCode: 1 },
  'signal.given': { payload: {} }
}
const written = (event: string) => JSON.stringify({ type: event, ...MEMBERS[event] })

interface Props {
  actor: Actor
  /** Path of the preview in the API, with the actor and the moment. */
  path: string
  /** Told the states that it would lead to. */
  onWould: (states: readonly string[] | undefined) => void
}

export function TryEvent({ actor, path, onWould }: Props) {
  const { accepts, refuses, context } = actor
  const [text, setText] = useState('')
  const [tried, setTried] = useState('')
  const { value, refusal } = useAnswer<Preview>(tried === '' ? undefined : `${path}&event=${encodeURIComponent(tried)}`)
  // An actor of another moment accepts other events.
  useEffect(() => {
    setTried('')
    setText('')
  }, [path, actor.seq])
  useEffect(() => onWould(value?.isTaken ? value.states : undefined), [value, onWould])
  const choose = (event: string) => {
    setText(written(event))
    setTried(written(event))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    setTried(text.trim())
  }
  return (
    <section class="actor-facts">
      <h3>What can happen next</h3>
      {accepts.length + refuses.length === 0 ? (
        <p class="soft">Nothing: it has ended.</p>
      ) : (
        <>
          <p class="soft">
            Select an event to see what it would do. It is tried on a copy: nothing happens to the run.
          </p>
          <ul class="chips">
            {accepts.map((event) => (
              <li key={event}>
                <button
                  type="button"
                  class="chip press"
                  aria-pressed={tried === written(event)}
                  onClick={() => choose(event)}
                >
                  {event}
                </button>
              </li>
            ))}
            {refuses.map(({ event, guard }) => (
              <li key={`${event} ${guard}`} class="chip no" title={`Refused by the guard ${guard}`}>
                {event} <span class="soft">guard: {guard}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {text !== '' && (
        <form class="try" onSubmit={submit}>
          <label class="field">
            Event
            <input class="mono" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
          </label>
          <button type="submit" class="button small">
            Try on a copy
          </button>
        </form>
      )}
      <Problem refusal={refusal} />
      {value && <Outcome preview={value} context={context} />}
    </section>
  )
}

function Outcome({ preview, context }: { preview: Preview; context: Record<string, unknown> }) {
  const { event, isTaken, states, effects } = preview
  const changes = changesOf(context, preview.context)
  const changed = Object.entries(preview.context).filter(([name]) =>
    [...changes.keys()].some((path) => path === name || path.startsWith(`${name}\0`))
  )
  return (
    <section class="outcome" aria-label={`What ${event} would do`} aria-live="polite">
      {isTaken ? (
        <p>
          It would be in <b class="mono">{states.at(-1)}</b>.
        </p>
      ) : (
        <p>Nothing would follow: it would stay as it is.</p>
      )}
      {effects.length > 0 && (
        <ul class="plain-list">
          {effects.map(({ kind, what, to }, at) => (
            // The same effect may occur twice.
            <li key={at}>
              {EFFECTS[kind]} <b class="mono">{what}</b>
              {to !== '' && ` to ${to}`}
            </li>
          ))}
        </ul>
      )}
      {changes.size > 0 && (
        <ContextTree label="What would change in its context" value={Object.fromEntries(changed)} changes={changes} />
      )}
    </section>
  )
}

const EFFECTS: Record<Preview['effects'][number]['kind'], string> = {
  sends: 'Sends',
  starts: 'Starts',
  does: 'Does'
}
