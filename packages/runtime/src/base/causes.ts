/** Deeper than this nobody wraps; an error may be its own cause. */
const deepest = 20

/** An error, what caused it, and so on. */
export function* causesOf(error: unknown): Iterable<Error> {
  let one = error
  for (let depth = 0; one instanceof Error && depth < deepest; depth++) {
    yield one
    one = one.cause
  }
}
