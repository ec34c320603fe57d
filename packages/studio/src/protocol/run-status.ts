import type { RunSummary } from './protocol.js'

/** True for a run that nothing happens in any more. */
export const isOver = ({ status }: Pick<RunSummary, 'status'>): boolean => status !== 'running' && status !== 'waiting'
