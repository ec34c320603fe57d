/**
 * Which limit ended a run. `length`: the limit of output tokens cut a reply off so that it could
 * not be used, for example in the middle of a tool call.
 */
export type LimitName = 'steps' | 'repeats' | 'parse-failures' | 'no-progress' | 'length'
