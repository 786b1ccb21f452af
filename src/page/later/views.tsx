/** The views that are not needed at first: a file of their own, loaded by `load-views.tsx`. */
import { AuditView } from '../audit/audit-view.tsx'
import { DefinitionView } from '../definition/definition-view.tsx'
import { EditView, NewView } from '../editor/edit-view.tsx'
import { MachinesView } from '../machines/machines-view.tsx'
import { RunView } from '../run/run-view.tsx'

const views = { AuditView, DefinitionView, EditView, MachinesView, NewView, RunView }
export type Views = typeof views
globalThis.troupeViews = views
