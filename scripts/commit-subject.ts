// The rule for the subject of a commit: `area: what changed`, at most 72 characters.

/** What is wrong with a subject, or undefined. */
export const problemOf = (subject: string): string | undefined => {
  if (/^(?:Merge|Revert) /.test(subject)) return undefined
  if (subject.length > 72)
    return `${subject.length} characters; at most 72, put reasons in the body`
  if (!/^[a-z0-9][\w@./-]*(?:, [\w@./-]+)*: \S/.test(subject)) return 'must be "area: what changed"'
  return undefined
}
