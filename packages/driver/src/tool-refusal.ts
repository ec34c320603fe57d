const tools = String.raw`tools?(?: (?:use|usage|call(?:s|ing)?|choice|param(?:eter)?s?))?|function[ _-]?call(?:s|ing)?`
const refusal = String.raw`(?:is|are)? ?(?:not|n't) (?:\w+ ){0,2}?(?:support|enabled|available|allowed|implemented|permitted)|unsupported|requires? (?:the )?--`
const named = String.raw`["'\`*]{0,2}(?:${tools})\b["'\`*]{0,2}`

/**
 * What servers say when a model, or a server as it was started, has no tools: "x does not support tools", "No endpoints found that support tool use",
 * "Function calling is not enabled for this model", "tools param requires --jinja flag", "Unknown parameter: 'tools'". A complaint about one tool, its
 * schema or the choice among tools is not one of these.
 */
const wordings: readonly RegExp[] = [
  new RegExp(String.raw`(?:not|n't) (?:currently )?support (?:for )?(?:the )?(?:\w+ )?${named}(?! choice)`, 'i'),
  new RegExp(String.raw`\bno (?:\w+ ){1,4}support ${named}`, 'i'),
  new RegExp(String.raw`^[^.:]{0,200}${named} (?:${refusal})`, 'i'),
  new RegExp(String.raw`(?:: |^)${named} (?:${refusal})`, 'i'),
  /(?:unsupported|unknown|unrecognized|unexpected|invalid) (?:request )?(?:param(?:eter)?|argument|field|property|key)s?(?: supplied| name)?:? ["'`]?tools["'`]?(?:$|[^.[\w])/i,
  /(?:^|\W)tools["'`]?:? (?:extra (?:inputs|fields)|unexpected) /i,
]

/** True for a message that refuses tools altogether. */
export const refusesTools = (message: string): boolean => {
  const text = message.slice(0, 1024).replaceAll(/(?:parallel|strict)[ _-]tools?/gi, '')
  return wordings.some((wording) => wording.test(text))
}
