/** A model in each specification of the AI SDK. */
export interface BySpecification<Former, Current> {
  /** For `ai` 6. */
  readonly v3: Former
  /** For `ai` 7. */
  readonly v4: Current
}
