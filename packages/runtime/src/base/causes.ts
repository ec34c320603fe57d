/** Ends the search, since an error may be its own cause; nobody nests as many. */
const maxDepth = 20

/** An error, what caused it, and so on. */
export function* causesOf(error: unknown): Iterable<Error> {
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < maxDepth; depth++) {
    yield cause
    cause = cause.cause
  }
}
