/** The views that are not needed at first: a file of their own, loaded by `load-views.tsx`. */
import { AccessView } from '../access/access-view.tsx'
import { AuditView } from '../audit/audit-view.tsx'
import { CalendarView } from '../calendar/calendar-view.tsx'
import { DefinitionView } from '../definition/definition-view.tsx'
import { EditView, NewView } from '../editor/edit-view.tsx'
import { MachinesView } from '../machines/machines-view.tsx'
import { NotificationsView } from '../notifications/notifications-view.tsx'
import { RunView } from '../run/run-view.tsx'

const views = {
  CalendarView,
  AccessView,
  AuditView,
  DefinitionView,
  EditView,
  MachinesView,
  NewView,
  NotificationsView,
  RunView
}
export type Views = typeof views
globalThis.troupeViews = views
