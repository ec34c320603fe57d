/** One phrase found in a text. */
export interface FoundPhrase {
  readonly index: number
  readonly phrase: string
  readonly advice: string
}
export declare const phrases: readonly { readonly pattern: RegExp; readonly advice: string }[]
export declare function findPhrases(text: string): FoundPhrase[]
