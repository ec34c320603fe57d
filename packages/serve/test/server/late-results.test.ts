// The result of work that a task waits for, over HTTP: with the secret of its call, or by a caller
// whom the agent allows to deliver it. Nobody else learns that there is such a task.
import { createAgent, isAgentError } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, pending } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { expect, it, onTestFinished } from 'vitest'

/** Two agents behind one address, one of them with a task that waits, and its callers. */
async function waiting() {
  const addresses: string[] = []
  const read: string[] = []
  const print = defineTool({
    name: 'print',
    description: 'Prints',
    execute: async (_, { run }) => {
      addresses.push((await run.webhook?.())?.url ?? '')
      return pending('job-1')
    },
  })
  const desk = createAgent({
    card: { name: 'desk', description: 'Prints' },
    provider: createMock({
      defaultResponse: ({ messages }) => {
        const result = messages.findLast(({ role }) => role === 'tool')
        if (result) read.push(JSON.stringify(result.content))
        return result ? 'Done.' : { toolCalls: [{ name: 'print' }] }
      },
    }),
    tools: [print],
    decisions: { mayDeliver: (principal) => principal === 'printer' || principal === 'alice' },
  })
  const other = createAgent({ card: { name: 'other', description: 'Waits' }, handler: () => 'hi' })
  const tokens = ['alice', 'printer', 'bob'].map((name) => ({ token: name, principal: name }))
  const refusals: string[] = []
  const server = await serve([desk, other], {
    authentication: [{ type: 'bearer', tokens }],
    onRefusal: ({ path }) => void refusals.push(path),
  })
  onTestFinished(() => server.close())
  const clientOf = (token: string) =>
    createAgentClient(`${server.url}/a/desk/`, { auth: { type: 'bearer', token } })
  const alice = clientOf('alice')
  const task = await alice.send('Print it')
  const [address = ''] = addresses
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const type = { 'content-type': 'application/json' }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...type, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const over = () => expect.poll(async () => (await alice.get(task.id)).state).toBe('completed')
  return { server, alice, clientOf, task, address, post, read, refusals, over }
}

it('a result that is posted to the address of its call reaches the model, once', async () => {
  const { server, address, post, read, over } = await waiting()
  expect(address).toMatch(/\/a\/desk\/modelport\/results\/[\w-]{43}$/)
  expect(address.startsWith(server.url)).toBe(true)
  const first = await post(address, { result: '3 pages' })
  const again = await post(address, { result: '3 pages' })
  const other = await post(address, { result: '4 pages' })
  expect([first.status, again.status, other.status]).toEqual([200, 200, 409])
  await over()
  expect((await post(address, { result: '3 pages' })).status).toBe(200)
  expect(read).toEqual([expect.stringContaining('3 pages')])
})

it.each([
  ['result', '{"pages": 3}', 'application/json'],
  ['result', '<done pages="3"/>', 'text/xml'],
  ['failure', 'no paper, for 3 days', 'text/plain'],
])(
  'a service that posts a body of its own is given the address with ?body=%s, and %s is what the model reads',
  async (meaning, body, type) => {
    const { address, post, read, over } = await waiting()
    const url = `${address}?body=${meaning}`
    const headers = { 'content-type': type }
    const first = await post(url, body, headers)
    const again = await post(url, body, headers)
    const other = await post(url, `${body} `, headers)
    expect([first.status, again.status, other.status]).toEqual([200, 200, 409])
    await over()
    expect(read).toEqual([expect.stringContaining(JSON.stringify(body).slice(1, -1))])
  },
)

it('another meaning of a body, and a body that is not text, are refused, and the task waits on', async () => {
  const { address, post, alice, task, over } = await waiting()
  expect((await post(`${address}?body=text`, 'x')).text).toContain('\\"result\\" or \\"failure\\"')
  const bytes = await fetch(`${address}?body=result`, {
    method: 'POST',
    body: new Uint8Array([0xff, 0xfe]),
  })
  expect(bytes.status).toBe(400)
  expect((await alice.get(task.id)).state).toBe('input-required')
  expect((await post(`${address}?body=result`, 'x')).status).toBe(200)
  await over()
})

it('a wrong secret is refused like an address where there is nothing, and says nothing of the task', async () => {
  const { address, post, task, read } = await waiting()
  const wrong = await post(
    address.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    {
      result: 'x',
    },
  )
  const none = await post(address.replace(/[^/]+$/, task.id), { result: 'x' })
  expect([wrong.status, none.status, wrong.text]).toEqual([404, 404, none.text])
  expect(wrong.text).not.toContain(task.id)
  expect(read).toEqual([])
})

it.each([
  ['no result', {}, 400],
  ['a result and a failure', { result: 'a', failure: 'b' }, 400],
  ['a result that is not a text', { result: 3 }, 400],
  ['not JSON', '{', 400],
])('a body with %s is refused, and the task waits on', async (_, body, status) => {
  const { address, post, alice, task, over } = await waiting()
  expect((await post(address, body)).status).toBe(status)
  expect((await alice.get(task.id)).state).toBe('input-required')
  expect((await post(address, { failure: 'no paper' })).status).toBe(200)
  await over()
})

it('the log of refused requests does not have the secret', async () => {
  const { address, post, refusals } = await waiting()
  const foreign = await post(address, { result: 'x' }, { origin: 'https://evil.example' })
  expect([foreign.status, refusals]).toEqual([403, ['/a/desk/modelport/results/…']])
})

const reasonOf = (sent: Promise<void>): Promise<unknown> =>
  sent.then(
    () => 'delivered',
    (error: unknown) => (isAgentError(error) ? error.reason : error),
  )

it('a caller whom the agent allows delivers the result of a task of somebody else', async () => {
  const { clientOf, task, read, over } = await waiting()
  const bob = clientOf('bob')
  const printer = clientOf('printer')
  const result = { result: '3 pages' }
  const toAlice = { owner: 'alice' }
  expect(await reasonOf(bob.deliver(task.id, result, toAlice))).toBe('task-not-found')
  expect(await reasonOf(bob.deliver(task.id, result))).toBe('task-not-found')
  expect(await reasonOf(printer.deliver(task.id, result))).toBe('task-not-found')
  expect(await reasonOf(printer.deliver(task.id, result, { ...toAlice, request: 'x' }))).toBe(
    'conflict',
  )
  expect(await reasonOf(printer.deliver(task.id, result, toAlice))).toBe('delivered')
  await over()
  expect(read).toEqual([expect.stringContaining('3 pages')])
  expect(await reasonOf(printer.deliver(task.id, result, toAlice))).toBe('delivered')
  expect(await reasonOf(printer.deliver(task.id, { failure: 'x' }, toAlice))).toBe('conflict')
  expect(await reasonOf(bob.deliver(task.id, { failure: 'x' }, toAlice))).toBe('task-not-found')
})

it('the owner of a task delivers its result without naming itself', async () => {
  const { alice, task, read, over } = await waiting()
  await alice.deliver(task.id, { failure: 'no paper' })
  await over()
  expect(read).toEqual([expect.stringContaining('no paper')])
})
