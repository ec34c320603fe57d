/**
 * URI of the one extension that modelport declares. Under this key metadata carries what the other
 * side has no field for. A caller that names it in `A2A-Extensions` also gets state histories,
 * progress and run events.
 */
export const extensionUri = 'https://modelport.dev/a2a/ext/v1'

/** Where a server of modelport makes conversations shorter, below the URL of its agent. */
export const compactionPath = '/modelport/history/compact'

/** Where it takes the result of a call from whoever has its secret: the last segment. */
export const resultsPath = '/modelport/results'

/** Where it takes the result of work that a task waits for from a caller that it knows. */
export const resultPathOf = (taskId: string): string => `/modelport/tasks/${taskId}/result`

/** Where it removes what tasks of a caller delegated to it, below the URL of its agent. */
export const forgetPath = '/modelport/tasks/forget'
