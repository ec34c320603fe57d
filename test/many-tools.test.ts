import { expect, test } from 'vitest'
import { measureTask } from '../bench/src/many-tools/measure.js'
import { tasks } from '../bench/src/many-tools/tasks.js'
import { ways } from '../bench/src/many-tools/ways.js'

// What evidence/many-tools.md says, for a task of one tool and a task of three.
test.each([tasks[1]!, tasks[8]!])(
  'with deferred tools and long results by a handle, $name of 200 tools sends less than a quarter of the tokens',
  async (task) => {
    const plain = await measureTask(ways['infer, plain']!, task)
    const both = await measureTask(ways['infer, both']!, task)
    expect(plain.requests).toBe(task.actions.length + 1)
    expect(both.tokens).toBeLessThan(plain.tokens / 4)
    expect(both.newTokens).toBeLessThan(plain.newTokens / 5)
    expect(await measureTask(ways['infer, both']!, task)).toEqual(both)
  },
)
