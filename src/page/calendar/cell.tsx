/** A day or an hour in the calendar: how many runs, a mark for what they have come to, and how many starts are planned. */
import type { CalendarCell } from '../answers.ts'
import { StatusMark } from '../parts/icon.tsx'
import { linkTo } from '../route.ts'
import { cellText, outcomeOf, sharesOf, shortCount, totalOf } from './outcome.ts'

/** The list of the runs of a cell; undefined: there are none. @param name DAG name; undefined: of all */
export function runsLink(cell: CalendarCell | undefined, name: string | undefined): string | undefined {
  if (!cell || totalOf(cell) === 0) return undefined
  const period = `${Math.floor(cell.fromMs / 1_000)}-${Math.floor(cell.toMs / 1_000)}`
  return linkTo(['runs'], { name, period })
}

/** For the styles. @param isCounted false: nobody knows what there was */
export function lookOf(cell: CalendarCell | undefined, isCounted: boolean): string {
  if (!isCounted) return 'uncounted'
  const outcome = cell && outcomeOf(cell)
  return [outcome ? `ran s-${outcome}` : '', cell?.planned ? 'planned' : ''].filter(Boolean).join(' ')
}

interface Props {
  cell: CalendarCell | undefined
  isCounted: boolean
  /** `Saturday, November 28`. */
  when: string
  link: string | undefined
}

/** The words are for those who hear it, or point at it; the rest is for the eye. */
export function CellContent({ cell, isCounted, when, link }: Props) {
  const outcome = cell && outcomeOf(cell)
  const text = `${when}: ${isCounted ? (cell ? cellText(cell) : 'no runs') : 'not counted'}`
  const words = <span class="unseen">{text}</span>
  return (
    <>
      {link === undefined ? (
        words
      ) : (
        // The cell is what has the focus.
        <a href={link} tabIndex={-1} title={text}>
          {words}
        </a>
      )}
      <span class="seen" aria-hidden="true">
        {!isCounted && '?'}
        {cell && outcome && (
          <>
            <StatusMark label={outcome} size={13} />
            {shortCount(totalOf(cell))}
          </>
        )}
        {cell && cell.planned > 0 && <span class="planned-count">+{shortCount(cell.planned)}</span>}
      </span>
      {cell && outcome && (
        <span class="shares" aria-hidden="true">
          {sharesOf(cell).map(({ label, percent }) => (
            <i key={label} class={`s-${label}`} style={{ width: `${percent}%` }} />
          ))}
        </span>
      )}
    </>
  )
}
