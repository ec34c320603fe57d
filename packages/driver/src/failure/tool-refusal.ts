/** Every way to write "tools" becomes one word, so that few phrases are enough below. */
const oneWord = (message: string): string =>
  message
    .slice(0, 1024)
    .toLowerCase()
    .replaceAll(/["'`*]/g, '')
    .replaceAll(/(?:parallel|strict)[ _-]tool/g, '')
    .replaceAll(
      /(?:function|tool)[ _-](?:calling|calls?|use)\b|tools param(?:eter)?\b|native tools?\b/g,
      'tools',
    )

const phrases =
  /(?:not|nt) support (?:the )?tools\b|found that support tools\b|\btools (?:is|are) not (?:supported|enabled|available|allowed)|\b(?:tools|tool choice) requires? --|\btools: extra inputs/
const unknownField = /\b(?:unknown|unsupported|unrecognized|unexpected)\b/
const namesField = /\b(?:param|parameter|argument|supplied|field):? tools(?![\w[]|\.\w)/

/**
 * True for a message that refuses all tools, as servers write it if the model has no tools or the
 * server was started without them: "x does not support tools", "No endpoints found that support
 * tool use", "tools param requires --jinja flag", "Unknown parameter: 'tools'". A complaint about
 * one tool, its schema or the choice among tools is not one.
 */
export function refusesTools(message: string): boolean {
  const text = oneWord(message)
  return phrases.test(text) || (unknownField.test(text) && namesField.test(text))
}
