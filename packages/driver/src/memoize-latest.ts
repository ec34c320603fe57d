/** Gives the last value again for as long as the key stays the same, else makes one. What fails is not kept. */
export function memoizeLatest<Value>(): (key: string, make: () => Promise<Value>) => Promise<Value> {
  let kept: { readonly key: string; readonly value: Value } | undefined
  return async (key, make) => {
    if (kept?.key !== key) kept = { key, value: await make() }
    return kept.value
  }
}
