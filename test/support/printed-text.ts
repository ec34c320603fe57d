/** Text as a page can have it: no spaces at the ends of lines, no line feed at the end. */
export const tidy = (text: string): string => text.replace(/[ \t]+$/gm, '').replace(/\n+$/, '')
/** Text as part of a regular expression. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const someLines = '(?:.*\\S.*(?:\\n|$))+?'
const someText = '.*?\\S.*?'

/**
 * The pattern of a printed block: `…` stands for some text of a line, and alone in a line for some
 * lines.
 */
const patternOf = (prints: string): RegExp => {
  const lines = tidy(prints).split('\n')
  const patterns = lines.map((line) =>
    line.trim() === '…' ? someLines : `${line.split('…').map(escaped).join(someText)}(?:\\n|$)`,
  )
  return new RegExp(`^${patterns.join('')}$`)
}

/**
 * Whether a program printed what a page says; it never prints nothing, or an action in place of its
 * text.
 */
export const isPrinted = (prints: string, printed: string): boolean =>
  printed.trim() !== '' && !showsAction(printed) && patternOf(prints).test(tidy(printed))

/** Whether an output has a line that is the JSON of an action. */
export const showsAction = (printed: string): boolean =>
  /^\s*\{"type":"(?:final|tool_call|agent_call)"/m.test(printed)
