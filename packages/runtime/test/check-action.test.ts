import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkAction } from '../src/reply/check-action.js'

const name = z.string().min(1)
const thought = z.string().optional()
const args = z.record(z.string(), z.unknown()).default({})
/** The actions as zod would check them. */
const reference = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('final'), content: name, thought }),
  z.strictObject({ type: z.literal('tool_call'), tool: name, args, thought }),
  z.discriminatedUnion('action', [
    z.strictObject({
      type: z.literal('agent_call'),
      agent: name,
      action: z.literal('tool_call'),
      tool: name,
      args,
      thought,
    }),
    z.strictObject({
      type: z.literal('agent_call'),
      agent: name,
      action: z.literal('infer'),
      prompt: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
      thought,
    }),
  ]),
])

/** One problem as the model reads it. */
function wordsOf({ path, message, code, ...issue }: z.core.$ZodIssue, type: unknown): string {
  const { keys = [] } = issue as { readonly keys?: readonly string[] }
  if (code === 'unrecognized_keys')
    return `unknown field${keys.length === 1 ? '' : 's'} ${[...keys].sort().join(', ')}`
  if (path[0] === 'type') return `Field 'type': must be "final", "tool_call" or "agent_call"`
  return `Field '${[String(type), ...path.map(String)].join(' -> ')}': ${message}`
}

const values = ['"x"', '""', '" "', '3', '1e999', 'true', 'null', '[1]', '{}', '{"a":[1]}']
const types = ['final', 'tool_call', 'agent_call', 'toString', 'infer'].map((type) => `"${type}"`)

/** Objects with each value in each field, next to fields that are right. */
function* written(): Generator<string> {
  for (const type of [...types, '3', 'null'])
    for (const action of [...types, '[]'])
      for (const field of ['content', 'tool', 'args', 'agent', 'prompt', 'thought', 'extra'])
        for (const value of values)
          for (const rest of ['', ',"tool":"t","agent":"a"', ',"content":"c","constructor":1']) {
            yield `{"type":${type},"action":${action},"${field}":${value}${rest}}`
            yield `{"type":${type},"${field}":${value}${rest}}`
          }
  yield '{}'
  yield '{"type":"tool_call","tool":"t","args":{"__proto__":{"q":1},"b":2}}'
}

test('an action is taken or refused as a strict schema of zod does it, in the same words', () => {
  for (const json of written()) {
    const value = JSON.parse(json) as Readonly<Record<string, unknown>>
    const checked = reference.safeParse(value)
    const expected = checked.success
      ? { ok: true, action: checked.data }
      : { ok: false, problems: checked.error.issues.map((one) => wordsOf(one, value['type'])) }
    expect(JSON.stringify(checkAction(value)), json).toBe(JSON.stringify(expected))
  }
})

test('an empty list in place of a name is one problem', () => {
  expect(checkAction({ type: 'tool_call', tool: [] })).toEqual({
    ok: false,
    problems: [`Field 'tool_call -> tool': Invalid input: expected string, received array`],
  })
})
