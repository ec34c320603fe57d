/** An error may be its own cause: the search ends after so many, more than anybody nests. */
const maxDepth = 20

/** An error, what caused it, and so on. */
export function* causesOf(error: unknown): Iterable<Error> {
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < maxDepth; depth++) {
    yield cause
    cause = cause.cause
  }
}
