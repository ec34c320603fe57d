/** A specification of the AI SDK: `v2` of `ai` 5, `v3` of `ai` 6, `v4` of `ai` 7. */
export type SpecificationName = 'v2' | 'v3' | 'v4'

/** A model in each specification of the AI SDK. */
export interface BySpecification<Oldest, Former, Current> {
  /** For `ai` 5. */
  readonly v2: Oldest
  /** For `ai` 6. */
  readonly v3: Former
  /** For `ai` 7. */
  readonly v4: Current
}
