/** A row of the audit log; its details are shown below it when they are wanted. */
import { useState } from 'preact/hooks'
import { now } from '../clock.ts'
import { LongText } from '../parts/long-text.tsx'
import { Time } from '../parts/time.tsx'
import { linkTo } from '../route.ts'
import { type AuditEntry, aboutOf, callerText, diffOf, factsText, fromText } from './entries.ts'

const COLUMNS = 6

export function EntryRow({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false)
  const { seq, at, operation, outcome, repeated } = entry
  const { text, parts } = aboutOf(entry)
  const isDone = outcome === 'done'
  return (
    <>
      <tr>
        <th scope="row">{seq}</th>
        <td>
          <Time at={Date.parse(at)} today={now()} />
        </td>
        <td>
          <bdi>{callerText(entry)}</bdi>
          <span class="soft place">{fromText(entry)}</span>
        </td>
        <td>
          {operation}
          <span class="soft place">
            {parts ? (
              <a href={linkTo(parts)}>
                <bdi>{text}</bdi>
              </a>
            ) : (
              <bdi>{text}</bdi>
            )}
          </span>
        </td>
        <td>
          <span class={isDone ? '' : 'refused'}>{outcome}</span>
          {repeated !== undefined && <span class="soft place">{repeated} more like it</span>}
        </td>
        <td>
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            aria-label={`Details of entry ${seq}`}
            onClick={() => setOpen(!isOpen)}
          >
            Details
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={COLUMNS}>
            <Details entry={entry} />
          </td>
        </tr>
      )}
    </>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const { reason = '', requestId = '', status, before, after, hash, previous, until = '', hidden } = entry
  const texts: [string, string][] = [
    ['Reason', reason],
    [
      'Answer',
      status === undefined ? '' : `${status}${hidden ? ', as if it did not exist: the caller must not see it' : ''}`
    ],
    ['Request', requestId],
    ['Last repeated', until],
    ['Before', factsText(before)],
    ['After', factsText(after)],
    ['Difference', diffOf(entry)],
    ['Hash', hash],
    ['Hash of the entry before', previous]
  ]
  return (
    <dl class="facts">
      {texts
        .filter(([, text]) => text !== '')
        .map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <LongText text={text} label={name} isCode />
            </dd>
          </div>
        ))}
    </dl>
  )
}
