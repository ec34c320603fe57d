// Phrases that make a reader stop, with what to write instead: the one list behind the lint rule
// `plain-wording` (comments and strings) and the test over Markdown. A phrase that a native
// engineer would not say to a colleague belongs here.

const start = String.raw`(?<![\w-])`

/** A phrase that stops a reader. */
interface Phrase {
  /** Case-insensitive; never spans a line. */
  readonly pattern: RegExp
  /** What to write instead. */
  readonly advice: string
}

/** A phrase in a text. */
export interface FoundPhrase {
  /** Where it begins. */
  readonly index: number
  readonly phrase: string
  readonly advice: string
}

/** The phrases that no text has. */
export const phrases: readonly Phrase[] = [
  {
    pattern: new RegExp(
      `(?<!\\bthere )${start}(?:is|are|was|were) no (?!longer\\b|more\\b|less\\b|fewer\\b|worse\\b|better\\b|different\\b|matter\\b|such\\b|one\\b|way\\b|need\\b|doubt\\b|good\\b|use\\b|exception\\b)[a-z]+`,
      'gi',
    ),
    advice: 'write "is not a …", or "there is no …"',
  },
  {
    pattern: new RegExp(`(?<!\\bthere )${start}(?:is|are|was|were) none\\b`, 'gi'),
    advice: 'write "is not a …"',
  },
  { pattern: new RegExp(`${start}beside\\b`, 'gi'), advice: 'write "besides" or "next to"' },
  {
    pattern: new RegExp(
      `${start}(?:told|tells?) of\\b|(?:^|\\* )told\\b|${start}told (?:by|apart from) who\\b`,
      'gi',
    ),
    advice: 'write "report", "notify" or "call", and name the actor',
  },
  {
    pattern: new RegExp(
      `(?:^|[.,;:(] ?|\\b(?:[Ff]or|of|to|by|[Gg]ives|[Tt]ells|[Aa]sks|from|as|where|that|and|or|when) )who (?:is|has|had|asks|reads|waits|calls|wants|gives|keeps|writes|makes|sends|looks|observes|takes|does|needs|holds|adds|stands|can|cannot|may)\\b`,
      'g',
    ),
    advice: 'write "the caller", "whoever", or name the actor',
  },
  {
    pattern: new RegExp(
      `${start}go(?:es)? on\\b(?! to\\b)|${start}went on\\b|${start}goes? on with\\b`,
      'gi',
    ),
    advice: 'write "continue"',
  },
  {
    pattern: new RegExp(`${start}(?:until|when|where) (?:it|that|this) is so\\b`, 'gi'),
    advice: 'name the condition',
  },
  {
    pattern: new RegExp(`${start}says? so to\\b|${start}what else there is\\b`, 'gi'),
    advice: 'say what is reported, or "the rest"',
  },
  {
    pattern: new RegExp(`${start}(?:a|the) (?:speech|wish|word) of (?:a|the)\\b`, 'gi'),
    advice: 'use the usual word',
  },
  {
    pattern: new RegExp(`${start}ha(?:s|ve|d) no words? for\\b`, 'gi'),
    advice: 'write "cannot express"',
  },
  {
    pattern: new RegExp(
      `${start}with what there is\\b|${start}had by\\b|${start}of itself how\\b`,
      'gi',
    ),
    advice: 'say it plainly',
  },
  {
    pattern: new RegExp(
      `${start}(?:servers?|vendors?|endpoints?|gateways?|models?) (?:that )?answer(?:s|ed)?\\b`,
      'gi',
    ),
    advice: 'a server responds, a model replies',
  },
  {
    pattern: new RegExp(
      `${start}(?:can|cannot|could|to) be had\\b|${start}hea(?:rs?|rd) of\\b`,
      'gi',
    ),
    advice: 'write "is available", or "is called with"',
  },
  {
    pattern: new RegExp(`${start}rounds? (?:of|with) (?:tool calls|tools?|calls)\\b`, 'gi'),
    advice: 'write "turn" for a request with its reply, "step" for a pass of `infer`',
  },
]

/** What no comment has: how it must not begin, and words that a text for a model may need. */
const commentPhrases: readonly Phrase[] = [
  {
    pattern: /(?<=^[*\s]*)(?:Most|Least|Fewest) (?!of\b)[a-z]+ (?!are\b|do\b|have\b)/g,
    advice: 'write "Maximum …" for a limit, "Nearly all …" for a part',
  },
  { pattern: /(?<=^[*\s]*)Of [a-z]+/g, advice: 'begin with the thing, not with its owner' },
  { pattern: /\bat hand\b/g, advice: 'write "current", "known" or "finished"' },
  { pattern: /\bwhat (?:it|this) throws\b/gi, advice: 'write "an error that it throws"' },
]

/**
 * How a title of a test begins that only continues what stands before it in the file, so that a
 * report of it cannot be read.
 */
const fragments = [
  /^(?:and|but|or|nor|also|so is|so are|others|as|are(?: not)?:|is(?: not)?:)(?![\w-])/i,
  /^(?:of|that|whose|in which|by %[sjo]|instead)(?![\w-])/,
  /^%[a-z]$/,
  new RegExp(
    `^(?:${[
      'is|are|was|were|has|have|had|does|do|did|may|must|can|cannot|would|never|still',
      'refuses?|rejects?|accepts?|keeps?|gives?|takes?|gets?|makes?|goes|go|comes?|becomes?|begins?|returns|includes?|belongs?',
      'says?|tells?|shows|reads|asks?|adds?|drops|lets|leaves|holds|stays?|fails|throws|ignores?|carries|carry|appends?|replaces',
      'sends|runs|prints|writes|executes?|completes|continues?|finds?|fills|reaches|works|looks|waits?|treats?|serves|survives?',
    ].join('|')}) (?!(?:are|that|of)\\b)`,
  ),
]

/** What is wrong with the title of a test; undefined if it can be read in a report. */
export const titleProblem = (title: string): string | undefined =>
  fragments.some((fragment) => fragment.test(title))
    ? 'write a sentence with its own subject and verb'
    : undefined

/** Every phrase of a comment. */
export const findInComment = (text: string): readonly FoundPhrase[] => [
  ...findPhrases(text),
  ...matchesOf(commentPhrases, text),
]

/** Every phrase of a text: where it stands, what it says, and what to write instead. */
export const findPhrases = (text: string): readonly FoundPhrase[] => matchesOf(phrases, text)

function matchesOf(rows: readonly Phrase[], text: string): readonly FoundPhrase[] {
  return rows.flatMap(({ pattern, advice }) =>
    [...text.matchAll(pattern)].map((match) => ({
      index: match.index,
      phrase: match[0].trim(),
      advice,
    })),
  )
}
