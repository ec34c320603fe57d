/** The text of a message of OpenAI's APIs: the content itself, or that of its parts. */
export function openaiText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { readonly text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
    .join('')
}
