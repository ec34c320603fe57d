/** The instructions of native mode. The tools themselves go through the API, so no syntax is explained. */
const withTools = `Use the tools when they help; you never pretend to have used one. Do not repeat a call whose result you have.
When you have what you need, answer in plain text.`

/** Instructions of native mode. Empty where there is nothing to call. */
export const toNativePrompt = (callable: number): string => (callable > 0 ? withTools : '')
