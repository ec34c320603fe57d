/**
 * Memoizes the latest value: the same key returns it again, another key makes a new one. A
 * rejection is not kept.
 */
export function memoizeLatest<Value>(): (
  key: string,
  make: () => Promise<Value>,
) => Promise<Value> {
  let kept: { readonly key: string; readonly value: Value } | undefined
  return async (key, make) => {
    if (kept?.key !== key) kept = { key, value: await make() }
    return kept.value
  }
}
