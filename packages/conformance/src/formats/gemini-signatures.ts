/** The documented replacement for a signature of another model. */
export const foreignSignatures: readonly string[] = [
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]

/** The signature of a function call, which shows later whether the call came back unchanged. */
export const callSignature = (name: unknown, args: unknown): string =>
  btoa(`signed-call-${hash(`${String(name)}:${JSON.stringify(args ?? {})}`)}`)

/** The signature of this server at the end of a text. */
export const textSignature = (text: string): string => btoa(`signed-text-${hash(text)}`)

function hash(text: string): string {
  let sum = 17
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 33) + text.charCodeAt(i)) >>> 0
  return `${text.length}-${sum.toString(36)}`
}
