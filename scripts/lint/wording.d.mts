/** One phrase found in a text. */
export interface FoundPhrase {
  readonly index: number
  readonly phrase: string
  readonly advice: string
}
export declare const phrases: readonly { readonly pattern: RegExp; readonly advice: string }[]
export declare function findPhrases(text: string): FoundPhrase[]
/** Every phrase of a comment, and how it begins. */
export declare function findInComment(text: string): FoundPhrase[]
/** What is wrong with the title of a test; undefined if it can be read in a report. */
export declare function titleProblem(title: string): string | undefined
