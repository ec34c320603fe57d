/** A message of an API in which a message of the role `tool` answers each call. */
export interface PairedMessage {
  readonly role: string
  readonly tool_calls?:
    | readonly { readonly id?: unknown; readonly function: { readonly name: string } }[]
    | undefined
  readonly tool_call_id?: unknown
  /** The name of the call that is answered, in APIs that want it. */
  readonly tool_name?: string | undefined
}

/**
 * Finds calls that are not answered right after their message, each once, and answers of no such
 * call.
 */
export function pairingViolations(messages: readonly PairedMessage[]): string[] {
  const violations: string[] = []
  /** The calls that wait for their tool message, with their names. */
  const open = new Map<unknown, string>()
  for (const [
    index,
    { role, tool_calls: calls = [], tool_call_id: id, tool_name: name },
  ] of messages.entries()) {
    const where = `messages[${index}]`
    if (role === 'tool') {
      if (!open.has(id))
        violations.push(`${where}: answers no call of the assistant message before it`)
      else if (name !== undefined && open.get(id) !== name)
        violations.push(`${where}.tool_name: not the name of the call it answers`)
      open.delete(id)
      continue
    }
    if (open.size)
      violations.push(`${where}: comes before the tool messages of ${[...open.keys()].join(', ')}`)
    open.clear()
    for (const [at, call] of calls.entries()) {
      if (open.has(call.id)) violations.push(`${where}.tool_calls[${at}].id: given twice`)
      open.set(call.id, call.function.name)
    }
  }
  if (open.size)
    violations.push(`messages: calls without a tool message: ${[...open.keys()].join(', ')}`)
  return violations
}
