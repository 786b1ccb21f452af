/** The workers that were given a key, as they are listed. Source: docs/workers.md. */
import { type Enrolment, enrolmentIn } from '../../bus/enrolment.ts'
import type { EnrolledView, WorkersView } from './worker-views.ts'

/** By id. */
export const enrolledViews = (enrolment: Enrolment | undefined): EnrolledView[] =>
  (enrolment?.workers ?? []).map(({ publicKey: _, ...one }) => one).sort((one, other) => (one.id < other.id ? -1 : 1))

/** Workers of a home in which no engine has been: none can have joined it. @throws TroupeError internal_error: the file is damaged */
export const unjoinedWorkers = (enrolmentFile: string): WorkersView => ({
  workers: [],
  errors: [],
  enrolled: enrolledViews(enrolmentIn(enrolmentFile))
})
