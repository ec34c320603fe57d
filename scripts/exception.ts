/** Something that a rule lets pass. The lists of them stand next to the rule. */
export interface Exception {
  /** The file, folder or name that is let pass; a folder has a slash at its end. */
  readonly where: string
  /** Why it is right. */
  readonly why: string
}
