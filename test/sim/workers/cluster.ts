/** The setting `coordinator.cluster` of everybody. */
export const CLUSTER = 'troupe'
