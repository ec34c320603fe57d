/** A tool result as text, with the call it belongs to. */
export const toResultText = (name: string, args: unknown, result: string): string =>
  `Return of calling function ${name} with arguments ${JSON.stringify(args)}:\n---\n${result}\n---\n`
