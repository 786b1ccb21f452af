/** The context of an actor as a tree; what its latest event has changed is marked, with what was there before. */
import { LongText } from '../../parts/long-text.tsx'
import { type Changes, isTree, pathIn } from './changes.ts'

interface Props {
  label: string
  value: Record<string, unknown>
  changes: Changes
}

export function ContextTree({ label, value, changes }: Props) {
  const gone = [...changes.keys()].filter((path) => !path.includes('\0') && !(path in value))
  return (
    <section class="context" aria-label={label}>
      {Object.keys(value).length + gone.length === 0 ? (
        <p class="soft">It is empty.</p>
      ) : (
        <Members
          value={Object.fromEntries([...Object.entries(value), ...gone.map((name) => [name, undefined])])}
          path=""
          changes={changes}
        />
      )}
    </section>
  )
}

interface MembersProps {
  value: Record<string, unknown>
  path: string
  changes: Changes
}

const Members = ({ value, path, changes }: MembersProps) => (
  <ul class="tree">
    {Object.entries(value).map(([name, inner]) => (
      <Member key={name} name={name} value={inner} path={pathIn(path, name)} changes={changes} />
    ))}
  </ul>
)

function Member({ name, value, path, changes }: { name: string; value: unknown; path: string; changes: Changes }) {
  const change = changes.get(path)
  const isChangedWithin = [...changes.keys()].some((one) => one.startsWith(`${path}\0`))
  if (isTree(value) && Object.keys(value).length > 0)
    return (
      <li class={change ? 'changed' : undefined}>
        <details open={isChangedWithin || change !== undefined || Object.keys(value).length <= FEW}>
          <summary>
            {name} <span class="soft">{sizeText(value)}</span>
          </summary>
          <Members value={value} path={path} changes={changes} />
        </details>
      </li>
    )
  return (
    <li class={change ? 'changed' : undefined}>
      <span class="tree-name">{name}</span> {value === undefined ? <i>removed</i> : <Value value={value} name={name} />}
      {change && (
        <span class="soft">
          {' '}
          {change.before === undefined ? (
            'new'
          ) : (
            <>
              was <Value value={change.before} name={`${name} before`} />
            </>
          )}
        </span>
      )}
    </li>
  )
}

/** Longer ones are closed until somebody looks. */
const FEW = 6

const Value = ({ value, name }: { value: unknown; name: string }) => (
  <LongText text={typeof value === 'string' ? `“${value}”` : JSON.stringify(value)} label={name} isCode />
)

const sizeText = (value: Record<string, unknown>): string => {
  const { length } = Object.keys(value)
  return Array.isArray(value) ? `list of ${length}` : `${length} member${length === 1 ? '' : 's'}`
}
